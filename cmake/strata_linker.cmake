# The linker is lld where it is there. In a release, functions of the same code are one (no two are told apart by their addresses),
# texts that end alike share the end, and the places that a program's start fills in are packed, where the C library of this machine reads them so (glibc 2.36).

find_program(STRATA_LLD NAMES ld.lld-19 ld.lld)
if(NOT STRATA_LLD)
  return()
endif()

# Compilers look for "ld.lld"; Debian's packages carry a version in the name.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/linker)
file(CREATE_LINK ${STRATA_LLD} ${PROJECT_BINARY_DIR}/linker/ld.lld SYMBOLIC)
set(STRATA_LINKER -B${PROJECT_BINARY_DIR}/linker -fuse-ld=lld)
target_link_options(strata_flags INTERFACE ${STRATA_LINKER} $<$<CONFIG:Release>:LINKER:--icf=all> $<$<CONFIG:Release>:LINKER:-O2>)
# GCC puts what seldom runs of a function into a part of its own, which lld takes for one with another's of the same code, though
# their stacks differ: exceptions thrown there would end the program.
target_compile_options(strata_flags INTERFACE
  $<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-fno-reorder-blocks-and-partition>)

if(NOT CMAKE_CROSSCOMPILING)
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_LINK_OPTIONS ${STRATA_LINKER} LINKER:-z,pack-relative-relocs)
  check_cxx_source_runs("static int x; int* volatile y = &x; int main() { return *y; }" STRATA_PACKS_RELOCATIONS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(STRATA_PACKS_RELOCATIONS)
    target_link_options(strata_flags INTERFACE $<$<CONFIG:Release>:LINKER:-z,pack-relative-relocs>)
  endif()
endif()
