#include "strata/core/ops/regex_full_match.h"

#include <algorithm>
#include <optional>

#include "strata/core/ops/support.h"
#include "strata/core/optional_libraries.h"

namespace strata {
namespace {

/// The pattern compiled, or nothing in a program without regular expressions. Throws: invalid_model
/// with the matcher's own words.
std::optional<CompiledPattern> compiled(const std::string& pattern) {
  const TextLibrary* library = text_library();
  if (!library || !library->compile) return std::nullopt;
  CompiledPattern out = library->compile(pattern);
  check(out.defect.empty(), "(C2) ", in_quotes(pattern), " is no regular expression: ", out.defect);
  return out;
}

}  // namespace

FactList RegexFullMatch::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(in[0].dtype == DatumType::string, "(C1) data are ", in[0].dtype);
  (void)compiled(pattern);
  return {Fact::tensor(DatumType::boolean, in[0].shape)};
}

TensorList RegexFullMatch::eval(Tensors in) const {
  const auto expression = compiled(pattern);
  require(expression.has_value(), ErrorKind::unsupported,
          "this program has no regular expressions (strata::text)");
  MutableTensor out(DatumType::boolean, in[0].shape());
  std::ranges::transform(in[0].as<std::string>(), out.as<bool>().begin(), expression->matches_all);
  return {std::move(out).freeze()};
}

}  // namespace strata
