#include "ops/regular_expression.h"
#include "strata/core/error.h"

namespace strata {

void check_pattern(const std::string&) {}

TextMatcher compiled(const std::string&) {
  fail(ErrorKind::unsupported, "this build has no regular expressions (STRATA_TEXT)");
}

}  // namespace strata
