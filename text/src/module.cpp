#include "strata/text/text.h"

/// What a program looks for in strata_text.so.
extern "C" [[gnu::visibility("default")]] const void* strata_text_library() {
  return strata::re2_and_icu_text();
}
