#include "ops/letter_case.h"
#include "strata/core/error.h"

namespace strata {

std::string with_unicode_case(const std::string& text, StringCase) {
  fail(ErrorKind::unsupported,
       cat("this build changes the case of ASCII letters only (STRATA_TEXT), ", in_quotes(text),
           " given"));
}

}  // namespace strata
