#include "strata/text/text.h"

#include "parts.h"

namespace strata {
namespace {

TextLibrary make_library() {
  TextLibrary library{};
#ifdef STRATA_RE2
  library = with_re2(library);
#endif
#ifdef STRATA_ICU
  library = with_icu(library);
#endif
  return library;
}

}  // namespace

const TextLibrary* re2_and_icu_text() {
  static const TextLibrary library = make_library();
  return &library;
}

}  // namespace strata
