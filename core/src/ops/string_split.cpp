#include "strata/core/ops/string_split.h"

#include <algorithm>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

constexpr std::string_view kSpace = " \t\n\r\f\v";

std::vector<std::string> split_at_space(std::string_view text, std::size_t cuts) {
  std::vector<std::string> out;
  for (;;) {
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return out;
    text.remove_prefix(begin);
    const std::size_t end = text.find_first_of(kSpace);
    if (out.size() == cuts || end == std::string_view::npos) {
      // What is left when no cut is, keeps its inner space.
      out.emplace_back(text.substr(0, text.find_last_not_of(kSpace) + 1));
      return out;
    }
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::vector<std::string> split_at(std::string_view text, std::string_view delimiter,
                                  std::size_t cuts) {
  std::vector<std::string> out;
  for (;;) {
    const std::size_t at = out.size() == cuts ? std::string_view::npos : text.find(delimiter);
    out.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + delimiter.size());
  }
}

}  // namespace

FactList StringSplit::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(in[0].dtype == DatumType::string, "(C1) data are ", in[0].dtype);
  ShapeFact pieces = ShapeFact::open();
  if (in[0].shape.is_known()) {
    std::vector<Dim> dims = in[0].shape.dims();
    dims.push_back(fresh_dim());
    pieces = std::move(dims);
  }
  return {Fact::tensor(DatumType::string, std::move(pieces)),
          Fact::tensor(DatumType::i64, in[0].shape)};
}

TensorList StringSplit::eval(Tensors in) const {
  const auto cuts = max_cuts && *max_cuts >= 0 ? static_cast<std::size_t>(*max_cuts) : SIZE_MAX;
  std::vector<std::vector<std::string>> found;
  std::size_t most = 0;
  for (const std::string& text : in[0].as<std::string>()) {
    found.push_back(delimiter.empty() ? split_at_space(text, cuts)
                                      : split_at(text, delimiter, cuts));
    most = std::max(most, found.back().size());
  }
  Shape shape = in[0].shape();
  MutableTensor counts(DatumType::i64, shape);
  shape.push_back(static_cast<std::int64_t>(most));
  MutableTensor pieces(DatumType::string, shape);
  for (std::size_t i = 0; i < found.size(); ++i) {
    counts.as<std::int64_t>()[i] = static_cast<std::int64_t>(found[i].size());
    std::move(found[i].begin(), found[i].end(),
              pieces.as<std::string>().begin() + static_cast<std::ptrdiff_t>(i * most));
  }
  return {std::move(pieces).freeze(), std::move(counts).freeze()};
}

}  // namespace strata
