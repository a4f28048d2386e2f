#include "strata/core/ops/tf_idf.h"

#include <algorithm>
#include <utility>

#include "ops/key_places.h"
#include "strata/core/ops/support.h"

namespace strata {

/// The n-grams of the pool as a tree: a node stands for the words on the way to it, node 0 for
/// none.
struct TfIdf::Grams {
  explicit Grams(const TfIdf& op);

  /// The node that `word` leads to, or 0.
  std::uint32_t next(std::uint32_t node, std::int64_t word) const {
    const auto step = steps.find(
        hash_of(node, word), [&](std::uint32_t to) { return from[to] == node && by[to] == word; });
    return step.value_or(0);
  }
  void add(std::span<const std::int64_t> gram, std::int64_t number);
  static std::size_t hash_of(std::uint32_t node, std::int64_t word) {
    return mixed_hash(node, static_cast<std::size_t>(word));
  }

  KeyPlaces words;  ///< a word is named by its first place in the pool
  HashIndex steps;
  std::vector<std::uint32_t> from{0};
  std::vector<std::int64_t> by{-1};
  std::vector<std::int64_t> last{-1};  ///< n-gram that ends at a node, or -1
  std::vector<std::int64_t> before;    ///< for each n-gram another one that is the same, or -1
};

TfIdf::Grams::Grams(const TfIdf& op) : words(op.pool), before(op.indices.size(), -1) {
  const std::vector<std::int64_t> pool = words.of(op.pool);
  std::int64_t number = 0;
  for (std::size_t i = 0; i < op.starts.size(); ++i) {
    const auto length = static_cast<std::int64_t>(i) + 1,
               end = i + 1 < op.starts.size() ? op.starts[i + 1] : op.pool.size();
    for (std::int64_t at = op.starts[i]; at + length <= end; at += length)
      add(std::span(pool).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(length)),
          number++);
  }
}

void TfIdf::Grams::add(std::span<const std::int64_t> gram, std::int64_t number) {
  std::uint32_t node = 0;
  for (const std::int64_t word : gram) {
    const std::uint32_t known = next(node, word);
    if (known == 0) {
      const auto made = static_cast<std::uint32_t>(from.size());
      steps.insert(hash_of(node, word), made);
      from.push_back(node);
      by.push_back(word);
      last.push_back(-1);
      node = made;
    } else {
      node = known;
    }
  }
  before[static_cast<std::size_t>(number)] = std::exchange(last[node], number);
}

namespace {

/// How often each n-gram of the pool is in `row`, where 0 to `skips` words are left out between two
/// of its words.
std::vector<float> gram_counts(const TfIdf& op, const TfIdf::Grams& grams,
                               std::span<const std::int64_t> row) {
  std::vector<float> counts(op.indices.size(), 0);
  const auto size = static_cast<std::int64_t>(row.size());
  for (std::int64_t step = 1; step <= std::min(op.skips, size) + 1; ++step)
    for (std::int64_t first = 0; first < size; ++first) {
      std::uint32_t node = 0;
      std::int64_t length = 1;
      for (std::int64_t at = first; at < size && length <= op.greatest; at += step, ++length) {
        node = grams.next(node, row[static_cast<std::size_t>(at)]);
        if (node == 0) break;
        if (length < op.least || (length == 1 && step > 1)) continue;
        for (std::int64_t gram = grams.last[node]; gram >= 0;
             gram = grams.before[static_cast<std::size_t>(gram)])
          counts[static_cast<std::size_t>(gram)] += 1;
      }
    }
  return counts;
}

void write_features(const TfIdf& op, const std::vector<float>& counts, std::span<float> to) {
  std::fill(to.begin(), to.end(), 0.0f);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const float weight = op.weights.empty() || op.mode == TfIdfMode::tf ? 1 : op.weights[i];
    const float count = op.mode == TfIdfMode::idf ? 1 : counts[i];
    to[static_cast<std::size_t>(op.indices[i])] += count * weight;
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
  for (const std::int64_t index : op.indices)
    check(index >= 0 && index < INT64_MAX, "(C2) an index is ", index);
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
  const Grams& pool_grams = grams.get([this] { return Grams(*this); });
  const std::vector<std::int64_t> words = pool_grams.words.of(data);
  for (std::size_t row = 0; row < rows; ++row)
    write_features(*this,
                   gram_counts(*this, pool_grams, std::span(words).subspan(row * length, length)),
                   out.as<float>().subspan(row * features, features));
  return {std::move(out).freeze()};
}

}  // namespace strata
