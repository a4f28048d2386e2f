#include "kernel_ops/half_weights.h"

#include <algorithm>
#include <cstring>

#include "kernel_ops/narrow_floats.h"
#include "kernel_ops/packed_later.h"

namespace strata {
namespace {

using kernels::Index;

/// Fewer weights stay in a cache as floats too, even in a net of many layers.
constexpr Index kManyWeights = Index{1} << 16;
/// From this number of rows on, computing takes longer than reading the weights.
constexpr Index kManyRows = 32;

/// Where number (i, j) of a matrix lies: it is the one at i * along_k + j * along_n.
struct Steps {
  Index along_k, along_n;
};

/// Copies a matrix of k x n numbers, wherever they lie, to panels of `columns`.
void copy_to_panels(const std::byte* numbers, Index k, Index n, Steps steps, Index columns,
                    std::uint16_t* packed) {
  constexpr Index width = sizeof *packed;
  for (Index first = 0; first < n; first += columns)
    for (Index i = 0; i < k; ++i, packed += columns) {
      const Index there = std::min(columns, n - first);
      const std::byte* from = numbers + (i * steps.along_k + first * steps.along_n) * width;
      for (Index j = 0; j < there; ++j, from += steps.along_n * width)
        std::memcpy(packed + j, from, width);
      std::fill(packed + there, packed + columns, std::uint16_t{0});
    }
}

}  // namespace

std::optional<Tensor> halves_worth_keeping(const Tensor& b, const ShapeFact& y, Isa isa) {
  if (isa == Isa::baseline || b.size() < kManyWeights) return std::nullopt;
  const auto shape = y.concrete();
  if (shape && product(*shape) >= kManyRows * shape->back()) return std::nullopt;
  return widened_from(b);
}

Tensor pack_halves(const MatMul& op, const Tensor& b, Isa isa) {
  const Index k = b.shape()[op.transpose_b ? 1 : 0], n = b.shape()[op.transpose_b ? 0 : 1];
  const Index columns = kernels::kernels(isa).gemm_column_step();
  const Index floats = (n + columns - 1) / columns * columns * k / 2;
  const Steps steps = op.transpose_b ? Steps{1, k} : Steps{n, 1};
  return packed_later(cat("halves ", columns, ' ', op.transpose_b), b, floats,
                      [k, n, steps, columns](const Tensor& weights, float* packed) {
                        const StoredBytes stored =
                            stored_bytes(weights);  // packing can read unaligned weights
                        copy_to_panels(stored.bytes.data(), k, n, steps, columns,
                                       reinterpret_cast<std::uint16_t*>(packed));
                      });
}

}  // namespace strata
