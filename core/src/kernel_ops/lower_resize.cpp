#include <algorithm>

#include "kernel_ops/movement.h"
#include "kernel_ops/resize_kernel.h"
#include "kernel_ops/resize_tables.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/select.h"

namespace strata {
namespace {

using std::int64_t;

/// The place of an axis among those resized; nothing where it is none of them.
std::optional<std::size_t> place_of(std::size_t axis, const std::vector<std::size_t>& axes) {
  const auto found = std::ranges::find(axes, axis);
  if (found == axes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - axes.begin());
}

/// An axis that changes, with the tables of its outputs if its sizes are known.
struct ResampledAxis {
  std::size_t axis;
  std::optional<AxisTable> table;
};
/// In order.
using ResampledAxes = std::vector<ResampledAxis>;

/// The sizes of x, with ones in place of those that are not known; nothing where one of them may
/// change.
std::optional<Shape> sizes_that_change(const Resize& op, const ShapeFact& x, const Tensor& target) {
  const auto axes = resized_axes(op, x.rank());
  if (target.size() != std::ssize(axes)) return std::nullopt;
  Shape sizes;
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    const auto size = x[axis].constant();
    sizes.push_back(size.value_or(1));
    const auto at = place_of(axis, axes);
    if (size || !at) continue;
    if (op.coordinates == ResizeCoordinates::tf_crop_and_resize || is_integer(target.dtype()) ||
        number_at(target, static_cast<int64_t>(*at)) != 1)
      return std::nullopt;
  }
  return sizes;
}

/// The axes that change; nothing unless all their sizes are known.
std::optional<ResampledAxes> known_axes(const NodeView& node, const Resize& op) {
  const Tensor* target = node.input_fact(1).constant();
  if (!target) return std::nullopt;
  const auto x = sizes_that_change(op, node.input_fact(0).shape, *target);
  if (!x) return std::nullopt;
  const auto axes = resized_axes(op, x->size());
  auto sizes = scaled_axes(op, *x, *target);
  if (op.coordinates == ResizeCoordinates::tf_crop_and_resize) {
    const Tensor* roi = node.inputs().size() > 2 ? node.input_fact(2).constant() : nullptr;
    if (!roi || roi->size() != 2 * std::ssize(axes)) return std::nullopt;
    read_roi(sizes, roi);
  }
  ResampledAxes out;
  for (std::size_t axis = 0; axis < x->size(); ++axis) {
    const auto at = place_of(axis, axes);
    if (!at || is_identity(op, sizes[*at])) continue;
    const ResizeAxis& size = sizes[*at];
    if (size.in <= 0 || size.in > kMostPlaces || size.out <= 0) return std::nullopt;
    auto table = table_of(resize_weights(op, size));
    if (!table) return std::nullopt;
    out.push_back({axis, std::move(table)});
  }
  return out;
}

/// The axes that change, of whatever sizes; nothing where it is not known which do.
std::optional<ResampledAxes> open_axes(const NodeView& node, const Resize& op) {
  const Fact& target = node.input_fact(1);
  const ShapeFact &x = node.input_fact(0).shape, &y = node.output_fact().shape;
  const bool is_sizes = is_integer(target.dtype);
  const Tensor* scales = is_sizes ? nullptr : target.constant();
  const auto axes = resized_axes(op, x.rank());
  if (!ResizeTables::fits(op) || (is_sizes && op.aspect_ratio != AspectRatio::stretch) ||
      (!is_sizes && (!scales || scales->size() != std::ssize(axes))))
    return std::nullopt;
  ResampledAxes out;
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    const auto at = place_of(axis, axes);
    if (!at) continue;
    const bool stays =
        is_sizes ? x[axis] == y[axis] : number_at(*scales, static_cast<int64_t>(*at)) == 1;
    if (!stays) out.push_back({axis, std::nullopt});
  }
  return out;
}

/// Makes a Resize a chain of kernels.
class Resampling {
 public:
  Resampling(const NodeView& node, const Resize& op, Isa isa)
      : node_(node),
        op_(op),
        like_{0, op.mode == ResizeMode::nearest, isa},
        rank_(node.input_fact(0).shape.rank()),
        patch_(node) {}

  Patch run(const ResampledAxes& axes) && {
    OutletId y = node_.input(0);
    for (auto at = axes.begin(); at != axes.end();) {
      const bool is_pair = at->axis + 2 == rank_ && std::next(at) != axes.end();
      const auto end = at + (is_pair ? 2 : 1);
      y = resampled(y, std::span(at, end));
      at = end;
    }
    patch_.shunt(node_.output(), extrapolated(y, axes));
    return std::move(patch_);
  }

 private:
  /// x resampled along one axis, or the last two at once.
  OutletId resampled(OutletId x, std::span<const ResampledAxis> axes) {
    ResizeKernel kernel = like_;
    kernel.axis = static_cast<int64_t>(axes[0].axis);
    OutletIds inputs{x};
    for (const ResampledAxis& axis : axes) add_tables(axis, inputs);
    return patch_.wire_one(cat("axis", axes[0].axis), kernel, inputs);
  }

  void add_tables(const ResampledAxis& axis, OutletIds& inputs) {
    const auto number = static_cast<int64_t>(axis.axis);
    if (!axis.table) {
      for (const OutletId table : patch_.wire(cat("tables", number), ResizeTables{op_, number},
                                              {node_.input(0), node_.input(1)}))
        inputs.push_back(table);
      return;
    }
    inputs.push_back(patch_.constant(cat("places", number), axis.table->places));
    if (!like_.copies)
      inputs.push_back(patch_.constant(cat("weights", number), axis.table->weights));
  }

  /// y with the op's number wherever an axis lies outside the input.
  OutletId extrapolated(OutletId y, const ResampledAxes& axes) {
    for (const auto& [axis, table] : axes) {
      if (!table || !table->inside) continue;
      Shape shape(rank_ - axis, 1);
      shape[0] = table->inside->size();
      const OutletId inside = patch_.constant(cat("inside", axis), table->inside->reshaped(shape));
      const OutletId outside = patch_.constant(
          cat("outside", axis), cast(Tensor::scalar(op_.extrapolation), DatumType::f32));
      y = patch_.wire_one(cat("extrapolated", axis), Select{}, {inside, y, outside});
    }
    return y;
  }

  const NodeView& node_;
  const Resize& op_;
  ResizeKernel like_;
  std::size_t rank_;
  Patch patch_;
};

}  // namespace

/// Resize of bytes -> Quantize(Resize(Cast(x))), for the same numbers in f32 rounded to bytes
Rewrite resize_bytes(const NodeView& node, const Target&) {
  const Resize* resize = node.op().as<Resize>();
  if (!resize || bit_width(node.output_fact().dtype) != 8 ||
      !is_integer(node.output_fact().dtype) || node.input_fact(0).shape.is_open() ||
      only_moves(*resize))
    return no_change;
  // Elements that are only moved are not rounded.
  if (resize->mode == ResizeMode::nearest && resize->extrapolation != 0) return no_change;
  Patch patch(node);
  OutletIds in = node.inputs();
  in[0] = patch.wire_one("wide", Cast{DatumType::f32}, {in[0]});
  const OutletId wide = patch.wire_one("", *resize, in);
  const OutletId one = patch.constant("scale", Tensor::scalar(1.0F));
  patch.shunt(node.output(),
              patch.wire_one("bytes", Quantize{.to = node.output_fact().dtype}, {wide, one}));
  return patch;
}

/// Resize of f32, or of anything that only moves -> ResizeKernel(ResizeKernel(x)), with Select for
/// what lies outside
Rewrite lower_resize(const NodeView& node, const Target& target) {
  const Resize* resize = node.op().as<Resize>();
  if (!resize || node.input_fact(0).shape.is_open()) return no_change;
  if (!is_f32(node.input_fact(0)) && !(only_moves(*resize) && is_movable(node.input_fact(0))))
    return no_change;
  auto axes = known_axes(node, *resize);
  if (!axes) axes = open_axes(node, *resize);
  if (!axes) return no_change;
  if (axes->empty()) return bypass(node, node.input(0));
  return Resampling(node, *resize, target.isa).run(*axes);
}

}  // namespace strata
