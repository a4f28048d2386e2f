#include <re2/re2.h>

#include <memory>

#include "ops/regular_expression.h"
#include "strata/core/error.h"

namespace strata {
namespace {

constexpr std::int64_t kMostMemory = 8 << 20;  ///< of a compiled pattern and the states it visits

std::shared_ptr<const RE2> checked(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  auto expression = std::make_shared<const RE2>(pattern, options);
  check(expression->ok(), "(C2) ", in_quotes(pattern),
        " is no regular expression: ", std::string_view(expression->error()));
  return expression;
}

}  // namespace

void check_pattern(const std::string& pattern) { (void)checked(pattern); }

TextMatcher compiled(const std::string& pattern) {
  return [expression = checked(pattern)](const std::string& text) {
    return RE2::FullMatch(text, *expression);
  };
}

}  // namespace strata
