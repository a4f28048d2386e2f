#include "kernel_ops/resize_kernel.h"

#include <algorithm>
#include <limits>

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/shared_work.h"
#include "ops/resize_weights.h"
#include "strata/core/ops/select.h"

namespace strata {
namespace {

using std::int64_t;

/// Axis `i` of those resampled.
kernels::ResizedAxis axis_of(const ResizeKernel& op, const KernelIo& io, std::size_t i) {
  const std::size_t input = 1 + i * (op.copies ? 1 : 2);
  const TensorView& places = io.inputs[input];
  return {.in = io.inputs[0].shape[static_cast<std::size_t>(op.axis) + i],
          .out = places.shape[1],
          .taps = places.shape[0],
          .inputs = places.as<std::int32_t>(),
          .weights = op.copies ? nullptr : io.inputs[input + 1].as<float>()};
}

kernels::Resize call_for(const ResizeKernel& op, const KernelIo& io) {
  const Span x = io.inputs[0].shape;
  const auto at = static_cast<std::size_t>(op.axis);
  kernels::Resize call;
  call.outer = volume(x.first(at));
  call.x = io.inputs[0].as<float>();
  call.y = io.outputs[0].as<float>();
  if (op.axes_of(io.inputs.size()) == 2) {
    call.rows = axis_of(op, io, 0);
    call.columns = axis_of(op, io, 1);
  } else if (at + 1 == x.size()) {
    call.columns = axis_of(op, io, 0);
  } else {
    call.rows = axis_of(op, io, 0);
    call.columns.in = call.columns.out = volume(x.subspan(at + 1));
  }
  return call;
}

/// What the outputs of one axis are made of, as tensors.
struct AxisTable {
  Tensor places;
  Tensor weights;
  std::optional<Tensor> inside;  ///< bool[out], where some outputs lie outside the input
};

/// Weights with those of a neighbour in place of none.
AxisWeights filled(AxisWeights weights) {
  const auto some =
      std::ranges::find_if(weights, [](const auto& inputs) { return !inputs.empty(); });
  std::vector<WeightedInput> last{{0, 1}};
  if (some != weights.end()) last = *some;
  for (auto& inputs : weights) {
    if (inputs.empty()) inputs = last;
    last = inputs;
  }
  return weights;
}

/// Whether the inputs ascend along outputs and taps, all of which there are as many of.
bool ascends(const AxisWeights& weights) {
  const auto by_place = [](const WeightedInput& a, const WeightedInput& b) {
    return a.index < b.index;
  };
  for (std::size_t o = 0; o < weights.size(); ++o) {
    if (weights[o].size() != weights[0].size()) return false;
    if (!std::ranges::is_sorted(weights[o], by_place)) return false;
    for (std::size_t t = 0; o > 0 && t < weights[o].size(); ++t)
      if (weights[o][t].index < weights[o - 1][t].index) return false;
  }
  return true;
}

std::optional<AxisTable> table_of(const AxisWeights& given) {
  const AxisWeights weights = filled(given);
  if (!ascends(weights)) return std::nullopt;
  const auto out = static_cast<int64_t>(weights.size()),
             taps = static_cast<int64_t>(weights[0].size());
  MutableTensor places(DatumType::i32, {taps, out}), numbers(DatumType::f32, {taps, out}),
      inside(DatumType::boolean, {out});
  for (int64_t o = 0; o < out; ++o) {
    const auto from = static_cast<std::size_t>(o);
    inside.as<bool>()[from] = !given[from].empty();
    for (int64_t t = 0; t < taps; ++t) {
      const WeightedInput& input = weights[from][static_cast<std::size_t>(t)];
      const auto to = static_cast<std::size_t>(t * out + o);
      places.as<std::int32_t>()[to] = static_cast<std::int32_t>(input.index);
      numbers.as<float>()[to] = static_cast<float>(input.weight);
    }
  }
  AxisTable table{std::move(places).freeze(), std::move(numbers).freeze(), std::nullopt};
  if (std::ranges::any_of(given, [](const auto& inputs) { return inputs.empty(); }))
    table.inside = std::move(inside).freeze();
  return table;
}

/// The axes that change, with what their outputs are made of; nothing where that is not known.
using AxisTables = std::vector<std::pair<std::size_t, AxisTable>>;

/// The sizes of x, with ones in place of those that are not known; nothing where one of them may
/// change.
std::optional<Shape> sizes_that_change(const Resize& op, const ShapeFact& x, const Tensor& target) {
  const auto axes = resized_axes(op, x.rank());
  if (target.size() != std::ssize(axes)) return std::nullopt;
  Shape sizes;
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    const auto size = x[axis].constant();
    sizes.push_back(size.value_or(1));
    const auto at = std::ranges::find(axes, axis) - axes.begin();
    if (size || at == std::ssize(axes)) continue;
    if (op.coordinates == ResizeCoordinates::tf_crop_and_resize || is_integer(target.dtype()) ||
        number_at(target, at) != 1)
      return std::nullopt;
  }
  return sizes;
}

std::optional<AxisTables> axis_tables(const NodeView& node, const Resize& op) {
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
  AxisTables out;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (is_identity(op, sizes[i])) continue;
    constexpr auto most = std::numeric_limits<std::int32_t>::max();
    if (sizes[i].in <= 0 || sizes[i].in > most || sizes[i].out <= 0) return std::nullopt;
    auto table = table_of(resize_weights(op, sizes[i]));
    if (!table) return std::nullopt;
    out.emplace_back(axes[i], std::move(*table));
  }
  std::ranges::sort(out, {}, [](const auto& axis) { return axis.first; });
  return out;
}

/// x resampled along all axes: one after the other, but the last two at once.
OutletId resampled(Patch& patch, const ResizeKernel& like, OutletId x, std::size_t rank,
                   const AxisTables& tables) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::size_t axis = tables[i].first;
    const bool pairs = axis + 2 == rank && i + 1 < tables.size();
    ResizeKernel kernel = like;
    kernel.axis = static_cast<int64_t>(axis);
    OutletIds inputs{x};
    for (std::size_t last = pairs ? i + 1 : i; i <= last; ++i) {
      inputs.push_back(patch.constant(cat("places", i), tables[i].second.places));
      if (!like.copies)
        inputs.push_back(patch.constant(cat("weights", i), tables[i].second.weights));
    }
    --i;
    x = patch.wire_one(cat("axis", axis), kernel, inputs);
  }
  return x;
}

/// y with `number` wherever an axis lies outside the input.
OutletId extrapolated(Patch& patch, OutletId y, std::size_t rank, const AxisTables& tables,
                      double number) {
  for (const auto& [axis, table] : tables) {
    if (!table.inside) continue;
    Shape shape(rank - axis, 1);
    shape[0] = table.inside->size();
    const OutletId inside = patch.constant(cat("inside", axis), table.inside->reshaped(shape));
    const OutletId outside =
        patch.constant(cat("outside", axis), cast(Tensor::scalar(number), DatumType::f32));
    y = patch.wire_one(cat("extrapolated", axis), Select{}, {inside, y, outside});
  }
  return y;
}

}  // namespace

FactList ResizeKernel::output_facts(Facts in) const {
  check(in.size() > 1 && (in.size() - 1) % (copies ? 1 : 2) == 0 && axes_of(in.size()) <= 2, name,
        " has ", in.size(), " inputs");
  const std::size_t count = axes_of(in.size()), at = static_cast<std::size_t>(axis);
  check(is_f32(in[0]) && in[0].shape.is_known() && at + count <= in[0].shape.rank(), name,
        " along axis ", axis, " of ", in[0].to_string());
  check(count == 1 || at + 2 == in[0].shape.rank(), name, " along two axes from ", axis, " of ",
        in[0].to_string());
  std::vector<Dim> out = in[0].shape.dims();
  for (std::size_t i = 0; i < count; ++i) {
    const ShapeFact& places = in[1 + i * (copies ? 1 : 2)].shape;
    check(places.is_known() && places.rank() == 2, name, " by places of shape ", places);
    out[at + i] = places[1];
  }
  return {Fact::tensor(DatumType::f32, std::move(out))};
}

std::size_t ResizeKernel::scratch_bytes(Facts in) const {
  return copies || axes_of(in.size()) < 2
             ? 0
             : sizeof(float) * static_cast<std::size_t>(in[0].shape.concrete()->back());
}

void ResizeKernel::run(const KernelIo& io) const {
  const Span out = io.outputs[0].shape;
  if (volume(out) == 0) return;
  const kernels::Resize call = call_for(*this, io);
  const kernels::KernelTable& table = kernels::kernels(isa);
  const int64_t rows = call.outer * call.rows.out;
  const auto taps = static_cast<double>(call.rows.taps + call.columns.taps);
  const std::size_t parts = parts_of(io, work_on(volume(out), 8 * taps), rows);
  share(io, parts, table.resize_scratch(call), [&](std::size_t part, std::byte* scratch) {
    table.resize(call, part_of(rows, 1, part, parts), scratch);
  });
}

std::string ResizeKernel::explain(Facts in, Facts) const {
  return explain_vectors(copies ? "resampling by copies" : "resampling", isa,
                         axes_of(in.size()) == 2 ? "the last two axes at once" : "one axis");
}

/// Resize of f32 by known scales -> ResizeKernel(ResizeKernel(x)), with Select for what lies outside
Rewrite lower_resize(const NodeView& node, const Target& target) {
  const Resize* resize = node.op().as<Resize>();
  if (!resize || !is_f32(node.input_fact(0)) || node.input_fact(0).shape.is_open())
    return no_change;
  const auto tables = axis_tables(node, *resize);
  if (!tables) return no_change;
  if (tables->empty()) return bypass(node, node.input(0));
  const std::size_t rank = node.input_fact(0).shape.rank();
  const ResizeKernel like{0, resize->mode == ResizeMode::nearest, target.isa};
  Patch patch(node);
  const OutletId y = resampled(patch, like, node.input(0), rank, *tables);
  patch.shunt(node.output(), extrapolated(patch, y, rank, *tables, resize->extrapolation));
  return patch;
}

}  // namespace strata
