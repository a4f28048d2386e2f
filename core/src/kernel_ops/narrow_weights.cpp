#include <algorithm>
#include <bit>
#include <cstring>

#include "deferred_tensor.h"
#include "kernel_ops/matmul_kernel.h"
#include "kernel_ops/matrix_operand.h"
#include "kernel_ops/narrow_floats.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/quantize.h"

/// Constant weights of a few bits, which a product turns into floats panel by panel.
namespace strata {
namespace {

using kernels::Index;

/// Fewer are near as floats too, even in a net of many layers.
constexpr Index kWorthKeeping = Index{1} << 14;

/// Where what belongs to column j at step k lies: `data[k * along_k + j * along_n]`.
struct Steps {
  Index along_k = 0;
  Index along_n = 0;
};

/// Integers of `bits` bits of a matrix [k, n]; each `block` steps of a column share a scale and a
/// zero point.
struct NarrowMatrix {
  Index k, n, bits, block;
  bool is_signed;
  Steps integers;
  Steps scales;  ///< by blocks

  DatumType packed_type() const {
    return bits == 2 ? DatumType::u2 : bits == 4 ? DatumType::u4 : DatumType::u8;
  }
  Index parts() const { return 32 / bits; }
  /// Added to signed integers, so that none is negative.
  Index shift() const { return is_signed ? Index{1} << (bits - 1) : 0; }
  /// Whether the integers of a column fill words, side by side.
  bool has_words() const { return integers.along_k == 1 && k % parts() == 0; }
  Index blocks() const { return (k + block - 1) / block; }
  Index block_words(Index columns) const { return (1 + block / parts()) * columns; }
  Index panels(Index columns) const { return (n + columns - 1) / columns; }
  Index panel_words(Index columns) const {
    constexpr Index line = 16;
    const Index zeros = (blocks() * columns + line * 4 - 1) / (line * 4) * line;
    return blocks() * block_words(columns) + zeros;
  }
  Index words(Index columns) const { return panels(columns) * panel_words(columns); }
};

/// The dequantised right operand of the product, where panels of it can be made.
std::optional<NarrowMatrix> narrow_matrix(const MatMul& op, const NodeView& made) {
  const Dequantize& dequantize = *made.op().as<Dequantize>();
  const Tensor &integers = *made.input_fact(0).constant(), &scales = *made.input_fact(1).constant();
  const Shape& shape = integers.shape();
  if (shape.size() != 2 || !is_integer(integers.dtype()) || bit_width(integers.dtype()) > 8 ||
      !(scales.dtype() == DatumType::f32 || narrow_float(scales.dtype())))
    return std::nullopt;
  const std::size_t k_axis = op.transpose_b ? 1 : 0;
  const Index columns = shape[1];
  NarrowMatrix m{.k = shape[k_axis],
                 .n = shape[1 - k_axis],
                 .bits = static_cast<Index>(bit_width(integers.dtype())),
                 .is_signed = is_signed_integer(integers.dtype()),
                 .integers = op.transpose_b ? Steps{1, columns} : Steps{columns, 1}};
  const bool is_blocked = scales.size() != 1 && dequantize.block_size > 0;
  const bool goes_along_k = scales.size() != 1 && normalized_axis(dequantize.axis, 2) == k_axis;
  if (goes_along_k != is_blocked) return std::nullopt;
  m.block = is_blocked ? dequantize.block_size : (m.k + m.parts() - 1) / m.parts() * m.parts();
  if (is_blocked)
    m.scales = op.transpose_b ? Steps{1, m.blocks()} : Steps{m.n, 1};
  else if (scales.size() != 1)
    m.scales = {0, 1};
  if (m.block % m.parts() != 0 || m.k * m.n < kWorthKeeping) return std::nullopt;
  return m;
}

/// Packs the panels of a matrix, as NarrowForm has them, of integers, scales and maybe zero points.
class PanelPacker {
 public:
  PanelPacker(const NarrowMatrix& m, const std::vector<Tensor>& sources, Index columns)
      : m_(m),
        columns_(columns),
        scales_(cast(sources[1], DatumType::f32)),
        zeros_(sources.size() > 2 ? std::optional(unpacked(sources[2])) : std::nullopt),
        integers_(m.has_words() ? sources[0] : unpacked(sources[0])),
        stored_(stored_bytes(integers_)) {}

  /// Into words that are zero.
  void pack(std::uint32_t* out) const {
    for (Index first = 0; first < m_.n; first += columns_, out += m_.panel_words(columns_)) {
      const kernels::Range columns{first, std::min(first + columns_, m_.n)};
      auto* zeros = reinterpret_cast<std::uint8_t*>(out + m_.blocks() * m_.block_words(columns_));
      for (Index block = 0; block < m_.blocks(); ++block, zeros += columns_) {
        std::uint32_t* const to = out + block * m_.block_words(columns_);
        pack_shared(block, columns, to, zeros);
        m_.has_words() ? pack_words(block, columns, to + columns_)
                       : pack_parts(block, columns, to + columns_);
      }
    }
  }

 private:
  /// Scales, and zero points as they are of unsigned integers.
  void pack_shared(Index block, kernels::Range columns, std::uint32_t* scales,
                   std::uint8_t* zeros) const {
    const auto from = scales_.as<float>();
    for (Index j = columns.begin; j < columns.end; ++j) {
      const auto at = static_cast<std::size_t>(block * m_.scales.along_k + j * m_.scales.along_n);
      *scales++ = std::bit_cast<std::uint32_t>(from[at]);
      const auto zero = zeros_ ? zeros_->storage_as<std::uint8_t>()[at] : std::uint8_t{0};
      *zeros++ = static_cast<std::uint8_t>((zero + m_.shift()) & 0xff);
    }
  }

  /// A column's words lie as they are, one after the other.
  void pack_words(Index block, kernels::Range columns, std::uint32_t* out) const {
    const Index parts = m_.parts(), of_column = m_.k / parts, begin = block * m_.block / parts;
    const Index count = std::min(m_.block / parts, of_column - begin);
    std::uint32_t flips = 0;  // adds the shift to each part
    for (Index bit = 0; bit < 32; bit += m_.bits)
      flips |= static_cast<std::uint32_t>(m_.shift()) << bit;
    for (Index j = columns.begin; j < columns.end; ++j, ++out) {
      const std::byte* from = stored_.bytes.data() + (j * of_column + begin) * Index{sizeof *out};
      for (Index w = 0; w < count; ++w, from += sizeof *out) {
        std::uint32_t word;
        std::memcpy(&word, from, sizeof word);
        out[w * columns_] = word ^ flips;
      }
    }
  }

  void pack_parts(Index block, kernels::Range columns, std::uint32_t* out) const {
    const std::uint32_t mask = (1u << m_.bits) - 1, shift = static_cast<std::uint32_t>(m_.shift());
    const Index begin = block * m_.block, count = std::min(m_.block, m_.k - begin);
    for (Index i = 0; i < count; ++i) {
      const auto* from = reinterpret_cast<const std::uint8_t*>(stored_.bytes.data()) +
                         (begin + i) * m_.integers.along_k + columns.begin * m_.integers.along_n;
      std::uint32_t* to = out + i / m_.parts() * columns_;
      const Index at = i % m_.parts() * m_.bits;
      for (Index j = columns.begin; j < columns.end; ++j, from += m_.integers.along_n)
        *to++ |= ((*from + shift) & mask) << at;
    }
  }

  const NarrowMatrix& m_;
  Index columns_;
  Tensor scales_;
  std::optional<Tensor> zeros_;
  Tensor integers_;  ///< as they are, or a byte for each
  StoredBytes stored_;
};

Tensor packed_narrow(const NarrowMatrix& m, const NodeView& made, Isa isa) {
  std::vector<Tensor> sources;
  for (std::size_t i = 0; i < made.inputs().size(); ++i)
    sources.push_back(*made.input_fact(i).constant());
  const Index columns = kernels::kernels(isa).gemm_column_step();
  return deferred(
      DatumType::f32, {m.words(columns)},
      {.key = cat("narrow ", static_cast<int>(isa), ' ', m.block, ' ', m.integers.along_k),
       .sources = std::move(sources),
       .fill = [m, columns](const std::vector<Tensor>& from, RowRange, std::byte* to) {
         auto* words = reinterpret_cast<std::uint32_t*>(to);
         std::fill_n(words, m.words(columns), 0);
         PanelPacker(m, from, columns).pack(words);
       }});
}

bool has_constant_inputs(const NodeView& node) {
  for (std::size_t i = 0; i < node.inputs().size(); ++i)
    if (!node.input_fact(i).constant()) return false;
  return true;
}

}  // namespace

/// MatMul(a, Dequantize(b, scale, zero)) of constant integers b  ->  MatMulKernel(a, b), which
/// widens b; of narrow floats between conversions, where b is not rounded to such
Rewrite find_narrow_weights(const NodeView& node, const Target& target) {
  const MatMul* matmul = node.op().as<MatMul>();
  const DatumType type = node.input_fact(0).dtype;
  const bool is_narrow = narrow_float(type).has_value();
  const Fact a =
      is_narrow ? Fact::tensor(DatumType::f32, node.input_fact(0).shape) : node.input_fact(0);
  if (!matmul || !is_matrices(a) || !node.producer_as<Dequantize>(1)) return no_change;
  const NodeView made = node.producer(1);
  if (!has_constant_inputs(made)) return no_change;
  const auto matrix = narrow_matrix(*matmul, made);
  if (!matrix) return no_change;
  MatMulKernel kernel{.op = *matmul,
                      .packed_k = matrix->k,
                      .packed_n = matrix->n,
                      .weights = matrix->packed_type(),
                      .weight_block = matrix->block,
                      .isa = target.isa};
  if (target.rounding != RowRounding::automatic)
    kernel.op.may_round_a = target.rounding == RowRounding::always;
  Patch patch(node);
  const OutletId weights = patch.constant("packed", packed_narrow(*matrix, made, target.isa));
  const OutletId wide =
      is_narrow ? patch.wire_one("wide", Cast{DatumType::f32}, {node.input(0)}) : node.input(0);
  const OutletId y = patch.wire_one(is_narrow ? "product" : "", kernel, {wide, weights});
  patch.shunt(node.output(), is_narrow ? patch.wire_one("", Cast{type}, {y}) : y);
  return patch;
}

}  // namespace strata
