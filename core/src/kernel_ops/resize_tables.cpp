#include "kernel_ops/resize_tables.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

using std::int64_t;

/// Of each output, where the kernel is not stretched.
int64_t taps_of(ResizeMode mode) {
  switch (mode) {
    case ResizeMode::nearest:
      return 1;
    case ResizeMode::linear:
      return 2;
    case ResizeMode::cubic:
      return 4;
  }
  return 0;
}

using Inputs = std::span<const WeightedInput>;

/// The first inputs that some output has; those of input 0 where none has any.
Inputs first_inputs(const AxisWeights& weights) {
  static constexpr WeightedInput kZero{0, 1};
  for (std::size_t o = 0; o < weights.size(); ++o)
    if (!weights[o].empty()) return weights[o];
  return {&kZero, 1};
}

/// Whether the inputs of an output ascend, and along each tap from those of the output before, of
/// which there are as many.
bool ascend(Inputs before, Inputs inputs) {
  return inputs.size() == before.size() &&
         std::ranges::is_sorted(inputs, std::ranges::less{}, &WeightedInput::index) &&
         std::ranges::equal(before, inputs, std::ranges::less_equal{}, &WeightedInput::index,
                            &WeightedInput::index);
}

/// An axis that stays as it is: each output a sum of equal parts of one input.
AxisWeights unchanged(int64_t size, int64_t taps) {
  AxisWeights weights;
  for (int64_t o = 0; o < size; ++o) {
    for (int64_t t = 0; t < taps; ++t) weights.add({o, 1 / static_cast<double>(taps)});
    weights.end_output();
  }
  return weights;
}

}  // namespace

std::optional<AxisTable> table_of(const AxisWeights& weights) {
  Inputs inputs = first_inputs(weights);
  const auto out = static_cast<int64_t>(weights.size()), taps = std::ssize(inputs);
  MutableTensor places(DatumType::i32, {taps, out}), numbers(DatumType::f32, {taps, out}),
      inside(DatumType::boolean, {out});
  std::int32_t* place = places.as<std::int32_t>().data();
  float* number = numbers.as<float>().data();
  bool are_inside = true;
  for (int64_t o = 0; o < out; ++o, ++place, ++number) {
    const Inputs own = weights[static_cast<std::size_t>(o)];
    const bool is_inside = inside.as<bool>()[static_cast<std::size_t>(o)] = !own.empty();
    are_inside = are_inside && is_inside;
    const Inputs before = std::exchange(inputs, is_inside ? own : inputs);
    if (!ascend(before, inputs)) return std::nullopt;
    for (int64_t t = 0; t < taps; ++t) {
      const WeightedInput& input = inputs[static_cast<std::size_t>(t)];
      place[t * out] = static_cast<std::int32_t>(input.index);
      number[t * out] = static_cast<float>(input.weight);
    }
  }
  AxisTable table{std::move(places).freeze(), std::move(numbers).freeze(), std::nullopt};
  if (!are_inside) table.inside = std::move(inside).freeze();
  return table;
}

bool ResizeTables::fits(const Resize& op) {
  return op.coordinates != ResizeCoordinates::tf_crop_and_resize && !op.antialias;
}

FactList ResizeTables::output_facts(Facts in) const {
  const Dim out = Resize::output_facts(in)[0].shape[static_cast<std::size_t>(axis)];
  const std::vector<Dim> shape{taps_of(mode), out};
  FactList facts{Fact::tensor(DatumType::i32, shape)};
  if (mode != ResizeMode::nearest) facts.push_back(Fact::tensor(DatumType::f32, shape));
  return facts;
}

TensorList ResizeTables::eval(Tensors in) const {
  const auto axes = resized_axes(*this, in[0].rank());
  const auto at = std::ranges::find(axes, static_cast<std::size_t>(axis)) - axes.begin();
  const ResizeAxis sizes = scaled_axes(*this, in[0].shape(), in[1])[static_cast<std::size_t>(at)];
  check_data(sizes.in > 0 || sizes.out == 0, "(C5) an empty axis ", axis, " is resized to ",
             sizes.out);
  check_data(sizes.in <= kMostPlaces, "an axis of size ", sizes.in, " is resized");
  const int64_t taps = taps_of(mode);
  const bool is_nearest = mode == ResizeMode::nearest;
  if (sizes.out == 0) {
    const auto none = [&](DatumType type) { return MutableTensor(type, {taps, 0}).freeze(); };
    return is_nearest ? TensorList{none(DatumType::i32)}
                      : TensorList{none(DatumType::i32), none(DatumType::f32)};
  }
  const auto table = table_of(is_identity(*this, sizes) ? unchanged(sizes.in, taps)
                                                        : resize_weights(*this, sizes));
  require(table.has_value(), ErrorKind::internal, "the inputs of a resized axis do not ascend");
  return is_nearest ? TensorList{table->places} : TensorList{table->places, table->weights};
}

}  // namespace strata
