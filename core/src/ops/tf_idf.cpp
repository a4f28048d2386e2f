#include "strata/core/ops/tf_idf.h"

#include <algorithm>
#include <map>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

template <class Word>
using Grams = std::map<std::vector<Word>, std::vector<std::size_t>>;

/// The n-grams of `length` words in the pool, with their numbers.
template <class Word>
Grams<Word> grams_of(const TfIdf& op, std::size_t length) {
  const auto pool = op.pool.as<Word>();
  const auto bound = [&](std::size_t i) {
    return i < op.starts.size() ? static_cast<std::size_t>(op.starts[i]) : pool.size();
  };
  std::size_t number = 0;
  for (std::size_t shorter = 1; shorter < length; ++shorter)
    number += (bound(shorter) - bound(shorter - 1)) / shorter;
  Grams<Word> out;
  for (std::size_t at = bound(length - 1); at + length <= bound(length); at += length)
    out[std::vector<Word>(pool.begin() + static_cast<std::ptrdiff_t>(at),
                          pool.begin() + static_cast<std::ptrdiff_t>(at + length))]
        .push_back(number++);
  return out;
}

/// Adds what of `grams` is found in `row`, with `step - 1` words left out between two words, to
/// `counts`.
template <class Word>
void count_grams(const Grams<Word>& grams, std::span<const Word> row, std::size_t length,
                 std::size_t step, std::vector<float>& counts) {
  const std::size_t reach = (length - 1) * step + 1;
  std::vector<Word> gram(length);
  for (std::size_t at = 0; at + reach <= row.size(); ++at) {
    for (std::size_t i = 0; i < length; ++i) gram[i] = row[at + i * step];
    const auto found = grams.find(gram);
    if (found == grams.end()) continue;
    for (const std::size_t number : found->second) counts[number] += 1;
  }
}

/// How often each n-gram of the pool is in `row`.
template <class Word>
std::vector<float> gram_counts(const TfIdf& op, std::span<const Word> row) {
  std::vector<float> counts(op.indices.size(), 0);
  for (std::int64_t length = op.least; length <= op.greatest; ++length) {
    if (length > static_cast<std::int64_t>(op.starts.size())) break;
    const auto words = static_cast<std::size_t>(length);
    const Grams<Word> grams = grams_of<Word>(op, words);
    const std::int64_t steps =
        length == 1 ? 1
                    : std::min<std::int64_t>(op.skips, static_cast<std::int64_t>(row.size())) + 1;
    for (std::int64_t step = 1; step <= steps; ++step)
      count_grams<Word>(grams, row, words, static_cast<std::size_t>(step), counts);
  }
  return counts;
}

template <class Word>
void write_features(const TfIdf& op, std::span<const Word> row, std::span<float> to) {
  const std::vector<float> counts = gram_counts(op, row);
  std::fill(to.begin(), to.end(), 0.0f);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const float weight = op.weights.empty() || op.mode == TfIdfMode::tf ? 1 : op.weights[i];
    const float count = op.mode == TfIdfMode::idf ? std::min(counts[i], 1.0f) : counts[i];
    if (count > 0) to[static_cast<std::size_t>(op.indices[i])] += count * weight;
  }
}

std::int64_t feature_count(const TfIdf& op) {
  return op.indices.empty() ? 0 : *std::max_element(op.indices.begin(), op.indices.end()) + 1;
}

void check_pool(const TfIdf& op) {
  const std::int64_t size = op.pool.size();
  std::int64_t grams = 0;
  for (std::size_t i = 0; i < op.starts.size(); ++i) {
    const std::int64_t end = i + 1 < op.starts.size() ? op.starts[i + 1] : size;
    check(op.starts[i] >= 0 && op.starts[i] <= end && end <= size, "(C3) starts ", op.starts,
          " in a pool of ", size);
    grams += (end - op.starts[i]) / static_cast<std::int64_t>(i + 1);
  }
  check(static_cast<std::int64_t>(op.indices.size()) == grams, "(C2) ", op.indices.size(),
        " indices for ", grams, " n-grams");
  check(op.weights.empty() || op.weights.size() == op.indices.size(), "(C2) ", op.weights.size(),
        " weights for ", grams, " n-grams");
  for (const std::int64_t index : op.indices) check(index >= 0, "(C2) an index is ", index);
  check(op.least >= 1 && op.least <= op.greatest && op.skips >= 0, "(C4) n-grams of ", op.least,
        " to ", op.greatest, " words, ", op.skips, " skipped");
}

}  // namespace

FactList TfIdf::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  const ShapeFact& shape = in[0].shape;
  const bool words = pool.dtype() == DatumType::string;
  check(words == (in[0].dtype == DatumType::string) && (words || is_integer(in[0].dtype)),
        "(C1) data are ", in[0].dtype, ", the pool is ", pool.dtype());
  check_pool(*this);
  if (shape.is_open()) return {Fact::tensor(DatumType::f32, shape)};
  check(shape.rank() == 1 || shape.rank() == 2, "(C1) data have shape ", shape);
  std::vector<Dim> dims = shape.dims();
  dims.back() = feature_count(*this);
  return {Fact::tensor(DatumType::f32, std::move(dims))};
}

TensorList TfIdf::eval(Tensors in) const {
  const Shape& from = in[0].shape();
  check_data(from.size() == 1 || from.size() == 2, "(C1) data have shape ", Span(from));
  const Tensor data = pool.dtype() == DatumType::string ? in[0] : cast(in[0], DatumType::i64);
  Shape shape = from;
  shape.back() = feature_count(*this);
  MutableTensor out(DatumType::f32, shape);
  const auto rows = static_cast<std::size_t>(from.size() == 2 ? from[0] : 1),
             length = static_cast<std::size_t>(from.back());
  const auto features = static_cast<std::size_t>(shape.back());
  for (std::size_t row = 0; row < rows; ++row) {
    const auto to = out.as<float>().subspan(row * features, features);
    if (data.dtype() == DatumType::string)
      write_features(*this, data.as<std::string>().subspan(row * length, length), to);
    else
      write_features(*this, data.as<std::int64_t>().subspan(row * length, length), to);
  }
  return {std::move(out).freeze()};
}

}  // namespace strata
