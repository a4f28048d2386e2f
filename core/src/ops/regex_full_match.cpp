#include "strata/core/ops/regex_full_match.h"

#include <regex>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

constexpr std::size_t kLongestPattern = 1 << 12;
constexpr std::size_t kLongestText = 1 << 16;

std::regex compiled(const std::string& pattern) {
  check(pattern.size() <= kLongestPattern, "(C2) a pattern of ", pattern.size(),
        " bytes is too long");
  try {
#ifdef __GLIBCXX__
    // The matcher that never backtracks: its time grows with the text, not exponentially.
    return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
#else
    return std::regex(pattern, std::regex::ECMAScript);
#endif
  } catch (const std::regex_error& error) {
    fail(ErrorKind::unsupported,
         cat("(C2) ", in_quotes(pattern), " is not understood: ", std::string_view(error.what())));
  }
}

}  // namespace

FactList RegexFullMatch::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(in[0].dtype == DatumType::string, "(C1) data are ", in[0].dtype);
  (void)compiled(pattern);
  return {Fact::tensor(DatumType::boolean, in[0].shape)};
}

TensorList RegexFullMatch::eval(Tensors in) const {
  const std::regex expression = compiled(pattern);
  MutableTensor out(DatumType::boolean, in[0].shape());
  bool* to = out.as<bool>().data();
  for (const std::string& text : in[0].as<std::string>()) {
    check_data(text.size() <= kLongestText, "(C3) a text of ", text.size(),
               " bytes is too long to be matched");
    *to++ = std::regex_match(text, expression);
  }
  return {std::move(out).freeze()};
}

}  // namespace strata
