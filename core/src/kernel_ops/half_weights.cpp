#include "kernel_ops/half_weights.h"

#include <algorithm>
#include <cstring>

#include "kernel_ops/matrix_operand.h"
#include "kernel_ops/narrow_floats.h"
#include "kernel_ops/packed_later.h"

namespace strata {
namespace {

using kernels::Index;

/// Fewer weights stay in a cache as floats too, even in a net of many layers.
constexpr Index kManyWeights = Index{1} << 16;
/// From this number of rows on, computing takes longer than reading the weights.
constexpr Index kManyRows = 32;

/// Copies the numbers of a matrix to panels of `columns`.
void copy_to_panels(const RightMatrix& m, const std::byte* numbers, Index columns,
                    std::uint16_t* packed) {
  constexpr Index width = sizeof *packed;
  for (Index first = 0; first < m.n; first += columns)
    for (Index i = 0; i < m.k; ++i, packed += columns) {
      const Index there = std::min(columns, m.n - first);
      const std::byte* from = numbers + (i * m.along_k + first * m.along_n) * width;
      for (Index j = 0; j < there; ++j, from += m.along_n * width)
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
  const RightMatrix m = right_matrix(op, b.shape());
  const Index columns = kernels::kernels(isa).gemm_column_step();
  const Index floats = (m.n + columns - 1) / columns * columns * m.k / 2;
  return packed_later(
      cat("halves ", columns, ' ', op.transpose_b), b, floats,
      [m, columns](const Tensor& weights, float* packed) {
        const StoredBytes stored = stored_bytes(weights);  // packing can read unaligned weights
        copy_to_panels(m, stored.bytes.data(), columns, reinterpret_cast<std::uint16_t*>(packed));
      });
}

}  // namespace strata
