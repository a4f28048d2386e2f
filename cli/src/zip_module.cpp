#include "zip.h"

/// What a program looks for in strata_zip.so.
extern "C" [[gnu::visibility("default")]] const void* strata_zip_library() {
  return strata::cli::libarchive_zip();
}
