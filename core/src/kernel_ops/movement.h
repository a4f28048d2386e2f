#pragma once

#include "kernel_ops/kernel_op.h"
#include "kernels/copy.h"
#include "ops/movement.h"

/// What kernels that only move elements share.
namespace strata {

/// Whether kernels can move such a tensor: its rank is known and its elements take whole bytes.
bool is_movable(const Fact& fact);
/// Whether all inputs and outputs of the node are movable.
bool moves_bytes(const NodeView& node);
/// Whether kernels can read integers from such a tensor: i32 and i64.
inline bool is_index(const Fact& fact) {
  return fact.is_tensor() && (fact.dtype == DatumType::i32 || fact.dtype == DatumType::i64);
}
/// Whether input `i` of the node is missing, or an i32 or i64 constant.
bool is_known_index(const NodeView& node, std::size_t i);

inline std::int64_t integer_at(const TensorView& view, std::size_t i) {
  return view.dtype == DatumType::i32 ? view.as<std::int32_t>()[i] : view.as<std::int64_t>()[i];
}
inline std::size_t length_of(const TensorView& vector) {
  return vector.shape.empty() ? 1 : static_cast<std::size_t>(vector.shape[0]);
}
/// Bytes of an element.
inline kernels::Index width_of(DatumType type) {
  return static_cast<kernels::Index>(bit_width(type) / 8);
}
inline kernels::Index width_of(const TensorView& view) { return width_of(view.dtype); }
/// Calls `visit(TypeTag<T>{})` with a T as wide as the elements of a movable tensor.
template <class Visit>
void visit_width(DatumType type, const Visit& visit) {
  switch (bit_width(type)) {
    case 8:
      return visit(TypeTag<std::uint8_t>{});
    case 16:
      return visit(TypeTag<std::uint16_t>{});
    case 32:
      return visit(TypeTag<std::uint32_t>{});
    case 64:
      return visit(TypeTag<std::uint64_t>{});
    default:
      return visit(TypeTag<std::complex<double>>{});
  }
}
/// The number of the slice, along axes of these sizes, that a tuple of indices names.
inline std::int64_t slice_of(const TensorView& indices, std::int64_t tuple, Span sizes) {
  const std::size_t depth = sizes.size();
  std::int64_t slice = 0;
  for (std::size_t i = 0; i < depth; ++i)
    slice =
        slice * sizes[i] +
        checked_index(integer_at(indices, static_cast<std::size_t>(tuple) * depth + i), sizes[i]);
  return slice;
}
/// `axis` counted from the start.
inline std::size_t axis_from_start(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}
/// Throws: run_time unless axis `axis` of an output has the size the model says.
inline void check_size(std::int64_t size, Span out, std::size_t axis) {
  check_data(size == out[axis], "axis ", axis, " of the output has size ", size,
             ", the model says ", out);
}

/// The bytes of a movable tensor from axis `at` on, where those sizes are known.
std::optional<std::int64_t> run_bytes(const Fact& fact, std::size_t at);

/// What kernels say about a copy whose shape depends on their operands.
inline constexpr std::string_view kAnyCopy = "copy, by runs or planes as the sizes have them";

/// Runs the copy, on several threads where that pays.
void run_copy(const KernelIo& io, const kernels::StridedCopy& copy, const std::byte* from,
              std::byte* to);

/// For each axis of a tensor, a number that an operand may change.
struct AxisNumbers {
  std::int64_t of[kMaxKernelRank];
};

}  // namespace strata
