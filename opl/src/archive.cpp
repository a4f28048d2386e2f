#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "archive_files.h"
#include "strata/core/error.h"
#include "strata/core/mapped_file.h"
#include "strata/core/text.h"

namespace strata::opl {
namespace {

namespace fs = std::filesystem;

using Reader = std::unique_ptr<::archive, decltype(&archive_read_free)>;

std::string_view why(::archive* reader) {
  const char* error = archive_error_string(reader);
  return error ? error : "no tar archive and no folder";
}

[[noreturn]] void fail_archive(std::string_view name, ::archive* reader) {
  fail(ErrorKind::file, "cannot read ", in_quotes(name), ": ", why(reader));
}

std::string entry_name(::archive_entry* entry) {
  if (const char* name = archive_entry_pathname(entry)) return name;
  const char* name = archive_entry_pathname_utf8(entry);
  return name ? name : "";
}

/// Where the entry's bytes lie in the archive itself, when they do: a tar that is not compressed is
/// no copy.
///
/// libarchive hands out its own buffer, which for memory it reads from is that memory.
bool lies_in(std::span<const std::byte> archive, const void* block, std::size_t size) {
  const auto* begin = static_cast<const std::byte*>(block);
  return std::less_equal<>{}(archive.data(), begin) &&
         std::less_equal<>{}(begin + size, archive.data() + archive.size());
}

/// Memory taken for an entry before its bytes are there to fill it.
constexpr std::size_t kMostReserved = 64 << 20;

/// Whether numbers of any type may be read in place there.
bool is_aligned(const void* block) { return reinterpret_cast<std::uintptr_t>(block) % 16 == 0; }

FileBytes read_entry(::archive* reader, const FileBytes& archive, std::string_view name,
                     std::size_t size) {
  const auto copy = std::make_shared<std::vector<std::byte>>();
  for (;;) {
    const void* block = nullptr;
    std::size_t length = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(reader, &block, &length, &offset);
    if (status == ARCHIVE_EOF) break;
    if (status != ARCHIVE_OK) fail_archive(name, reader);
    if (length == size && is_aligned(block) && lies_in(archive.bytes, block, length)) {
      return {{static_cast<const std::byte*>(block), length}, archive.owner};
    }
    if (copy->empty()) copy->reserve(std::min(size, kMostReserved));
    const auto* begin = static_cast<const std::byte*>(block);
    require(offset == static_cast<la_int64_t>(copy->size()) && length <= size - copy->size(),
            ErrorKind::file, "cannot read ", in_quotes(name), ": a sparse or overlong entry");
    copy->insert(copy->end(), begin, begin + length);
  }
  require(copy->size() == size, ErrorKind::file, "cannot read ", in_quotes(name), ": ", size,
          " bytes are announced, ", copy->size(), " are there");
  return {*copy, copy};
}

ArchiveFiles read_folder(const fs::path& path, const ArchiveLimits& limits) {
  ArchiveCollector collector(path.string(), limits);
  fs::path at = path;  // what is being read, which not every filesystem_error tells
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
      at = entry.path();
      const std::string name = entry.path().lexically_relative(path).generic_string();
      const fs::file_status status = entry.symlink_status();
      if (fs::is_directory(status)) continue;
      if (!fs::is_regular_file(status)) collector.fail_entry(name, "is not a plain file");
      std::string claimed = collector.claim(name, entry.file_size());
      collector.add(std::move(claimed), map_file(entry.path()));
    }
  } catch (const fs::filesystem_error& failure) {
    fail(ErrorKind::file, "cannot read ", in_quotes(at.string()), ": ", failure.code().message());
  }
  return collector.take();
}

}  // namespace

std::string_view name_defect(std::string_view name) {
  if (name.empty() || name.ends_with('/')) return "is empty";
  if (name.starts_with('/')) return "is absolute";
  if (name.find('\0') != std::string_view::npos) return "holds a zero byte";
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string_view part = name.substr(start, end - start);
    if (part == "..") return "leaves the archive";
    if (part.empty() || part == ".") return "holds an empty part";
    start = end + 1;
  }
  return {};
}

void ArchiveCollector::fail_entry(std::string_view name, std::string_view defect) const {
  fail(ErrorKind::file, "cannot read ", in_quotes(archive_), ": entry ", in_quotes(name), " ",
       defect);
}

std::string ArchiveCollector::claim(std::string_view name, std::uint64_t size) {
  const std::string_view original = name;
  while (name.starts_with("./")) name.remove_prefix(2);
  if (const std::string_view defect = name_defect(name); !defect.empty()) {
    fail_entry(original, cat("has a name that ", defect));
  }
  if (files_.contains(name)) fail_entry(name, "is there twice");
  require(files_.size() < limits_.entries, ErrorKind::limit, in_quotes(archive_),
          " holds more than ", limits_.entries, " files");
  require(size <= limits_.bytes - bytes_, ErrorKind::limit, in_quotes(archive_),
          " holds more than ", limits_.bytes, " bytes");
  bytes_ += size;
  return std::string(name);
}

FileBytes map_file(const fs::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  return {file->bytes(), file};
}

ArchiveFiles read_archive(const fs::path& path, const ArchiveLimits& limits) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return read_archive(map_file(path), path.string(), limits);
  return read_folder(path, limits);
}

ArchiveFiles read_archive(const FileBytes& archive, std::string_view name,
                          const ArchiveLimits& limits) {
  require(!archive.bytes.empty(), ErrorKind::file, "cannot read ", in_quotes(name),
          ": it is empty");
  const Reader reader(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(reader.get());
  archive_read_support_filter_gzip(reader.get());
  if (archive_read_open_memory(reader.get(), archive.bytes.data(), archive.bytes.size()) !=
      ARCHIVE_OK) {
    fail(ErrorKind::file, "cannot read ", in_quotes(name), ": ", why(reader.get()),
         "; expected a tar archive, or an OPL text named ", kGraphFile);
  }
  ArchiveCollector collector(std::string(name), limits);
  for (std::size_t headers = 0;; ++headers) {
    ::archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return collector.take();
    if (status < ARCHIVE_WARN) fail_archive(name, reader.get());
    require(headers < 2 * limits.entries, ErrorKind::limit, in_quotes(name), " holds more than ",
            2 * limits.entries, " entries");
    const std::string original = entry_name(entry);
    if (archive_entry_filetype(entry) == AE_IFDIR) continue;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry)) {
      collector.fail_entry(original, "is not a plain file");
    }
    const auto size = static_cast<std::uint64_t>(archive_entry_size(entry));
    std::string claimed = collector.claim(original, size);
    FileBytes bytes = read_entry(reader.get(), archive, cat(name, ": ", claimed), size);
    collector.add(std::move(claimed), std::move(bytes));
  }
}

}  // namespace strata::opl
