#include "kernel_ops/deform_columns.h"

#include <cmath>
#include <limits>

#include "kernel_ops/moved_taps.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/transpose.h"

namespace strata {
namespace {

using std::int64_t;

/// The shape of x as a DeformConv has it.
Shape with_channels_second(Span last) {
  Shape out{last[0], last.back()};
  out.insert(out.end(), last.begin() + 1, last.end() - 1);
  return out;
}

/// Whether the kernel takes such inputs; what is wrong with others is told when they run.
bool are_kernel_sizes(const DeformConv& op, const ConvGeometry& sizes, std::span<const Shape> in) {
  if (sizes.axes.size() > kMostMovedAxes || !op.has_equal_groups(sizes) ||
      sizes.in_positions() > std::numeric_limits<std::int32_t>::max())
    return false;
  for (std::size_t i = 2; i < in.size(); ++i)
    if (in[i] != op.operand_shape(sizes, i)) return false;
  return true;
}

}  // namespace

FactList DeformColumns::output_facts(Facts in) const {
  const auto x = in[0].shape.concrete();
  check(x.has_value(), "x of shape ", in[0].shape, ", whose sizes are not known");
  const ConvGeometry sizes = plain().geometry(with_channels_second(*x), weights);
  for (std::size_t i = 1; i < in.size(); ++i)
    check(in[i].shape == operand_shape(sizes, i + 1), "operand ", i, " has shape ", in[i].shape);
  return {Fact::tensor(in[0].dtype, Shape{sizes.batch, sizes.groups, sizes.out_positions(),
                                          sizes.taps() * sizes.in_channels})};
}

void DeformColumns::run(const KernelIo& io) const {
  const ConvGeometry sizes = plain().geometry(with_channels_second(io.inputs[0].shape), weights);
  const double corners = std::exp2(sizes.axes.size());
  share_range(io, work_on(volume(io.outputs[0].shape), 8 * corners),
              sizes.batch * sizes.out_positions(), kPlacesTogether,
              [&](kernels::Range places) { sample_moved_taps(*this, sizes, io, places); });
}

Cost DeformColumns::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  const auto corners = std::int64_t{1} << (weights.size() - 2);
  cost.flops = static_cast<double>(2 * corners * product(*out[0].shape.concrete()));
  return cost;
}

std::string DeformColumns::explain(Facts, Facts) const {
  return "rows of channels, weighed and summed up around each place";
}

/// DeformConv of f32 of known sizes -> Transpose(MatMul(DeformColumns(Transpose(x)), Transpose(w)))
Rewrite lower_deform_conv(const NodeView& node, const Target&) {
  const DeformConv* deform = node.op().as<DeformConv>();
  if (!deform) return no_change;
  std::vector<Shape> in;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const auto shape = node.input_fact(i).shape.concrete();
    if (!is_f32(node.input_fact(i)) || !shape) return no_change;
    in.push_back(*shape);
  }
  const ConvGeometry sizes = deform->plain().geometry(in[0], in[1]);
  if (!are_kernel_sizes(*deform, sizes, in)) return no_change;
  Patch patch(node);
  const auto reshaped = [&](std::string_view name, OutletId wire, const Shape& shape) {
    const OutletId target =
        patch.constant(cat(name, ".shape"), Tensor::vector<int64_t>(Span(shape)));
    return patch.wire_one(name, Reshape{ReshapeZero::keep}, {wire, target});
  };
  const auto turned = [&](std::string_view name, OutletId wire, std::vector<int64_t> perm) {
    return patch.wire_one(name, Transpose{std::move(perm)}, {wire});
  };
  std::vector<int64_t> last{0};
  for (std::size_t a = 0; a < sizes.axes.size(); ++a) last.push_back(static_cast<int64_t>(a) + 2);
  last.push_back(1);
  OutletIds moved{turned("last", node.input(0), last)};
  moved.insert(moved.end(), node.inputs().begin() + 2, node.inputs().end());
  const OutletId columns = patch.wire_one("columns", DeformColumns{{*deform}, in[1]}, moved);
  const Shape taps{sizes.groups, sizes.out_channels, sizes.in_channels, sizes.taps()},
      steps{sizes.groups, sizes.taps() * sizes.in_channels, sizes.out_channels};
  const OutletId weights = reshaped(
      "weights", turned("taps.last", reshaped("taps", node.input(1), taps), {0, 3, 2, 1}), steps);
  const OutletId product = patch.wire_one("product", MatMul{}, {columns, weights});
  patch.shunt(node.output(), reshaped("", turned("planes", product, {0, 1, 3, 2}),
                                      *node.output_fact().shape.concrete()));
  return patch;
}

}  // namespace strata
