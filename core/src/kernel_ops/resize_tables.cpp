#include "kernel_ops/resize_tables.h"

#include <algorithm>

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

/// An axis that stays as it is: each output a sum of equal parts of one input.
AxisWeights unchanged(int64_t size, int64_t taps) {
  AxisWeights weights;
  for (int64_t o = 0; o < size; ++o)
    weights.emplace_back(taps, WeightedInput{o, 1 / static_cast<double>(taps)});
  return weights;
}

}  // namespace

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
