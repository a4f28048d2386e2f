#include "strata/core/ops/string_normalizer.h"

#include <algorithm>
#include <limits>
#include <set>

#include "strata/core/ops/support.h"
#include "strata/core/optional_libraries.h"

namespace strata {
namespace {

/// Lengths are 32-bit numbers in Unicode libraries, and a text may grow threefold.
constexpr auto kMostBytes = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() / 4);

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

std::string with_unicode_case(const std::string& text, StringCase change) {
  const TextLibrary* library = text_library();
  require(library && library->lower_case, ErrorKind::unsupported,
          "this program changes the case of ASCII letters only (strata::text), ", in_quotes(text),
          " given");
  check_data(text.size() <= kMostBytes, "(C2) a string of ", text.size(),
             " bytes is too long to change its case");
  const std::size_t valid = library->valid_bytes(text);
  check_data(valid == text.size(), "(C2) a string is not UTF-8 at byte ", valid, ", after ",
             in_quotes(std::string_view(text).substr(0, valid)));
  return change == StringCase::lower ? library->lower_case(text) : library->upper_case(text);
}

std::string with_case(std::string text, StringCase change) {
  if (change == StringCase::keep) return text;
  if (!std::ranges::all_of(text, is_ascii)) return with_unicode_case(text, change);
  for (char& c : text) {
    if (change == StringCase::lower) c = lower_case(c);
    if (change == StringCase::upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

/// What strings are compared in: the case they end in, where case does not matter.
StringCase compared_case(const StringNormalizer& op) {
  if (op.match == StopWordMatch::exact) return StringCase::keep;
  return op.change == StringCase::keep ? StringCase::lower : op.change;
}

}  // namespace

FactList StringNormalizer::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  const ShapeFact& shape = in[0].shape;
  check(in[0].dtype == DatumType::string, "(C1) data are ", in[0].dtype);
  if (shape.is_open()) return {Fact::tensor(DatumType::string, shape)};
  check(shape.rank() == 1 || (shape.rank() == 2 && may_be_equal(shape[0], 1)),
        "(C1) data have shape ", shape);
  std::vector<Dim> dims(shape.rank(), Dim(1));
  dims.back() = stop_words.empty() ? shape.dims().back() : fresh_dim();
  // Of no strings at all, one empty string is made.
  if (dims.back().constant().value_or(0) == 0) dims.back() = fresh_dim();
  return {Fact::tensor(DatumType::string, std::move(dims))};
}

TensorList StringNormalizer::eval(Tensors in) const {
  const Shape& from = in[0].shape();
  check_data(from.size() == 1 || (from.size() == 2 && from[0] == 1), "(C1) data have shape ",
             Span(from));
  const StringCase compared = compared_case(*this);
  std::set<std::string> stops;
  for (const std::string& word : stop_words) stops.insert(with_case(word, compared));
  std::vector<std::string> kept;
  for (const std::string& word : in[0].as<std::string>())
    if (stops.empty() || !stops.contains(with_case(word, compared)))
      kept.push_back(with_case(word, change));
  if (kept.empty()) kept.emplace_back();
  Shape shape(from.size(), 1);
  shape.back() = static_cast<std::int64_t>(kept.size());
  return {Tensor::of<std::string>(std::move(shape), kept)};
}

}  // namespace strata
