#include "strata/core/ops/compress.h"

#include <algorithm>

#include "kernels/copy.h"
#include "ops/movement.h"
#include "ops/operand_kinds.h"

namespace strata {
namespace {

/// The rows of elements that are kept: `marks` are of those of each row.
struct MarkedRows {
  const Tensor& data;
  std::span<const bool> marks;
  std::int64_t extent;  ///< elements of a row, some of which may have no mark
};

/// Copies single elements. Each is written, and stays where it is marked: a branch would often be
/// guessed wrong.
template <class T>
void keep_elements(const MarkedRows& rows, std::int64_t kept, MutableTensor& out) {
  T* to = out.storage_as<T>().data();
  T* const end = to + out.size();
  for (const T* row = rows.data.storage_as<T>().data(); to != end; row += rows.extent) {
    T* const row_end = to + kept;
    for (std::size_t i = 0; to != row_end; ++i) {
      *to = row[i];
      to += rows.marks[i] ? 1 : 0;
    }
  }
}

/// Copies slices of `inner` elements of any type.
void keep_slices(const MarkedRows& rows, std::int64_t inner, MutableTensor& out) {
  const auto width = static_cast<std::int64_t>(bit_width(out.dtype()) / 8);  // 0: objects
  std::int64_t place = 0;
  for (std::int64_t row = 0; place < out.size(); row += rows.extent)
    for (std::size_t i = 0; i < rows.marks.size(); ++i) {
      if (!rows.marks[i]) continue;
      const std::int64_t from = (row + static_cast<std::int64_t>(i)) * inner;
      if (width == 0)
        copy_elements(rows.data, from, inner, out, place);
      else
        kernels::copy_bytes(out.data() + place * width, rows.data.data() + from * width,
                            static_cast<std::size_t>(inner * width));
      place += inner;
    }
}

}  // namespace

FactList Compress::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const ShapeFact &data = in[0].shape, &condition = in[1].shape;
  check(in[1].dtype == DatumType::boolean && may_have_rank(condition, 1), "(C1) the condition is ",
        in[1]);
  if (!axis) return {Fact::tensor(in[0].dtype, fresh_shape(1))};
  if (data.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  std::vector<Dim> dims = data.dims();
  Dim& extent = dims[normalized_axis(*axis, dims.size())];  // (C2)
  if (condition.is_known() && condition[0].is_constant() && extent.is_constant())
    check(*condition[0].constant() <= *extent.constant(), "(C3) ", condition[0],
          " conditions for an axis of ", extent);
  extent = fresh_dim();
  return {Fact::tensor(in[0].dtype, std::move(dims))};
}

TensorList Compress::eval(Tensors in) const {
  const Tensor data = axis ? in[0] : in[0].reshaped({in[0].size()});
  const std::size_t at = axis_of_data(axis.value_or(0), data.rank());
  const std::int64_t extent = data.shape()[at];
  check_data(in[1].size() <= extent, "(C3) ", in[1].size(), " conditions for an axis of ", extent);
  const MarkedRows rows{data, in[1].as<bool>(), extent};
  Shape shape = data.shape();
  const std::int64_t kept = shape[at] = std::ranges::count(rows.marks, true),
                     inner = product(Span(shape).subspan(at + 1));
  MutableTensor out(data.dtype(), shape);
  const std::size_t width = inner == 1 ? bit_width(data.dtype()) : 0;
  if (width == 32)
    keep_elements<std::uint32_t>(rows, kept, out);
  else if (width == 64)
    keep_elements<std::uint64_t>(rows, kept, out);
  else
    keep_slices(rows, inner, out);
  return {std::move(out).freeze()};
}

}  // namespace strata
