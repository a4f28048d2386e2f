# Finds libarchive. Sets STRATA_TAR to the target that reads and writes tar, compressed or not: the static library where it
# links with no more than zlib, for the shared one brings a dozen others along, for formats that OPL has no use for.
# STRATA_TAR_FLAGS says the same to a linker.

find_package(LibArchive REQUIRED)
set(STRATA_TAR LibArchive::LibArchive)
set(STRATA_TAR_FLAGS -larchive)

find_library(STRATA_LIBARCHIVE_STATIC libarchive.a)
find_library(STRATA_ZLIB NAMES libz.a z)
mark_as_advanced(STRATA_LIBARCHIVE_STATIC STRATA_ZLIB)
if(STRATA_LIBARCHIVE_STATIC AND STRATA_ZLIB)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${LibArchive_INCLUDE_DIRS})
  # What is not reached need not be there.
  set(CMAKE_REQUIRED_LIBRARIES ${STRATA_LIBARCHIVE_STATIC} ${STRATA_ZLIB} -Wl,--gc-sections)
  check_c_source_compiles([[
    #include <archive.h>
    #include <archive_entry.h>
    int main(void) {
      struct archive* reader = archive_read_new();
      struct archive* writer = archive_write_new();
      struct archive_entry* entry = archive_entry_new();
      return archive_read_support_format_tar(reader) + archive_read_support_filter_gzip(reader) +
             archive_read_open_memory(reader, "", 0) + archive_read_next_header(reader, &entry) +
             archive_write_set_format_gnutar(writer) + archive_write_add_filter_gzip(writer) +
             archive_write_set_filter_option(writer, "gzip", "timestamp", 0) +
             archive_write_open_fd(writer, 1) + archive_write_header(writer, entry);
    }]] STRATA_LIBARCHIVE_STATIC_WORKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(STRATA_LIBARCHIVE_STATIC_WORKS)
    strata_system_library(strata_tar ${LibArchive_INCLUDE_DIRS} ${STRATA_LIBARCHIVE_STATIC} ${STRATA_ZLIB})
    # The sections that go name libraries of other formats. A program that links a shared library which brings one of these
    # along (leptonica has liblzma) would be asked to link it too, but for the second flag.
    set(flags -Wl,--gc-sections -Wl,--allow-shlib-undefined)
    target_link_libraries(strata_tar INTERFACE ${flags})
    strata_by_name(STRATA_TAR_FLAGS ${STRATA_LIBARCHIVE_STATIC} ${STRATA_ZLIB})
    list(APPEND STRATA_TAR_FLAGS ${flags})
    set(STRATA_TAR strata_tar)
  endif()
endif()
