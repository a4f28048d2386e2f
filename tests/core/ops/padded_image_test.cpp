#include "ops/padded_image.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "strata/core/ops/conv.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/transform.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

Padding pads(Shape amounts) { return {Padding::Kind::fixed, std::move(amounts)}; }

/// Small integers of both signs: their sums are exact.
Tensor numbers(const Shape& shape) {
  MutableTensor out(DatumType::f32, shape);
  for (std::size_t i = 0; i < out.as<float>().size(); ++i)
    out.as<float>()[i] = static_cast<float>(i * 7 % 11) - 5;
  return std::move(out).freeze();
}

/// A Pad of an image [2, 2, 5, 4] before an op.
struct Draft {
  Pad pad;
  std::vector<std::int64_t> amounts;
  std::optional<float> value;
  std::vector<std::int64_t> axes;

  OutletIds operands(TypedModel& model, OutletId image) const {
    OutletIds out{image, model.constant("pads", Tensor::vector<std::int64_t>(amounts))};
    if (value || !axes.empty())
      out.push_back(model.constant("value", Tensor::scalar(value.value_or(0))));
    if (!axes.empty()) out.push_back(model.constant("axes", Tensor::vector<std::int64_t>(axes)));
    return out;
  }
};

/// Whether decluttering makes the op pad; its answers stay what they were.
template <class Op>
bool takes_padding(const Draft& draft, const Op& op) {
  TypedModel model;
  const Shape image{2, 2, 5, 4};
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, image));
  OutletIds inputs{model.wire_one("pad", draft.pad, draft.operands(model, x))};
  if constexpr (std::is_same_v<Op, Conv>)
    inputs.push_back(model.constant("w", numbers({3, 2, 3, 2})));
  model.add_output("y", model.wire_one("y", op, inputs));
  const ValueList given{Value(numbers(image))};
  const ValueList expected = run_model(model, given);
  declutter(model);
  CHECK(run_model(model, given)[0] == expected[0]);
  const NodeView last{model, model.outputs()[0].outlet.node};
  return last.producer_as<Pad>(0) == nullptr;
}

constexpr float kLeast = -std::numeric_limits<float>::infinity();

}  // namespace

TEST_SUITE("padded_image") {
  TEST_CASE("a convolution pads with zeros itself") {
    CHECK(takes_padding({Pad{}, {0, 0, 1, 2, 0, 0, 3, 0}}, Conv{}));
    CHECK(takes_padding({Pad{}, {0, 0, 1, 1, 0, 0, 1, 1}, 0.0f}, Conv{{2, 2}, {1, 2}}));
    CHECK(takes_padding({Pad{}, {1, 2, 0, 3}, 0.0f, {-1, 2}}, Conv{}));
    CHECK(takes_padding({Pad{}, {0, 0, 0, 1, 0, 0, 2, 1}}, Conv{{}, {}, pads({1, 0, 1, 2})}));
    CHECK(takes_padding({Pad{}, {0, 0, 0, 1, 0, 0, 2, 1}},
                        Conv{{}, {}, {Padding::Kind::valid, {7, 7, 7, 7}}}));
  }

  TEST_CASE("a convolution leaves a Pad that is no padding of its own") {
    const std::vector<std::int64_t> ones{0, 0, 1, 1, 0, 0, 1, 1};
    CHECK_FALSE(takes_padding({Pad{}, ones, 1.0f}, Conv{}));
    CHECK_FALSE(takes_padding({Pad{PadMode::edge}, ones}, Conv{}));
    CHECK_FALSE(takes_padding({Pad{}, {0, 0, -1, 1, 0, 0, 1, 1}}, Conv{}));
    CHECK_FALSE(takes_padding({Pad{}, {1, 0, 1, 1, 0, 0, 1, 1}}, Conv{}));
    CHECK_FALSE(takes_padding({Pad{}, ones}, Conv{{}, {}, {Padding::Kind::same_upper, {}}}));
  }

  TEST_CASE("an average that counts padding, or has none, pads itself") {
    const std::vector<std::int64_t> some{0, 0, 1, 0, 0, 0, 0, 2};
    Pool op{.kind = PoolKind::average, .kernel = {3, 2}};
    CHECK(takes_padding({Pad{}, some}, op));
    op.padding = pads({1, 1, 1, 1});
    CHECK_FALSE(takes_padding({Pad{}, some}, op));
    op.count_padding = true;
    CHECK(takes_padding({Pad{}, some}, op));
    CHECK_FALSE(takes_padding({Pad{}, some, 2.0f}, op));
    op.rounding = WindowRounding::ceil;
    op.strides = {2, 2};
    CHECK_FALSE(takes_padding({Pad{}, some}, op));
  }

  TEST_CASE("a norm pads with zeros itself, a maximum with what is less than all") {
    const std::vector<std::int64_t> some{0, 0, 1, 0, 0, 0, 0, 2};
    CHECK(takes_padding({Pad{}, some}, Pool{.kind = PoolKind::lp, .kernel = {3, 2}}));
    CHECK(takes_padding({Pad{}, some, kLeast}, Pool{.kernel = {3, 2}}));
    CHECK_FALSE(takes_padding({Pad{}, some}, Pool{.kernel = {3, 2}}));
    CHECK(takes_padding({Pad{}, {0, 0, 3, 0, 0, 0, 0, 2}, kLeast}, Pool{.kernel = {3, 2}}));
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{1, 1, 4, 4}));
    const OutletIds operands = Draft{Pad{}, some, kLeast, {}}.operands(model, x);
    const Pool counted{.kernel = {3, 2}, .indices = PoolIndices::row_major};
    const OutletIds both = model.wire("y", counted, {model.wire_one("pad", Pad{}, operands)});
    model.add_output("y", both[0]);
    model.add_output("i", both[1]);
    declutter(model);
    const NodeView last{model, model.outputs()[0].outlet.node};
    CHECK(last.producer_as<Pad>(0) != nullptr);
  }

  TEST_CASE("a Pad before bytes that stand for zero becomes the convolution's as well") {
    const auto leaves_pad = [](std::uint8_t zero_before, std::uint8_t zero_behind, Tensor scale) {
      TypedModel model;
      const Shape image{2, 2, 5, 4};
      const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, image));
      const OutletIds operands =
          Draft{Pad{}, {0, 0, 1, 2, 0, 0, 3, 0}, std::nullopt, {}}.operands(model, x);
      const OutletId by = model.constant("scale", scale);
      const auto zero = [&](std::string_view name, std::uint8_t value) {
        return model.constant(name, scale.size() == 1
                                        ? Tensor::scalar(value)
                                        : Tensor::of<std::uint8_t>({2}, {value, value}));
      };
      const OutletId bytes = model.wire_one(
          "q", Quantize{}, {model.wire_one("pad", Pad{}, operands), by, zero("z", zero_before)});
      const OutletId padded =
          model.wire_one("d", Dequantize{}, {bytes, by, zero("zz", zero_behind)});
      const OutletId w = model.constant("w", numbers({3, 2, 3, 2}));
      model.add_output("y", model.wire_one("y", Conv{}, {padded, w}));
      const ValueList given{Value(numbers(image))};
      const ValueList expected = run_model(model, given);
      declutter(model);
      CHECK(run_model(model, given)[0] == expected[0]);
      return count_of_op(model, "Pad");
    };
    CHECK(leaves_pad(7, 7, Tensor::scalar(0.5f)) == 0);
    CHECK(leaves_pad(7, 6, Tensor::scalar(0.5f)) == 1);  // zero becomes a half
    CHECK(leaves_pad(7, 7, Tensor::of<float>({2}, {0.5f, 1})) == 1);
  }

  TEST_CASE("amounts whose sum is too large stay apart") {
    const PaddedImage most{{}, {INT64_MAX, 0}, 0, {}};
    CHECK_FALSE(joined(most, pads({1, 0})).has_value());
    CHECK(joined(most, pads({0, 1}))->amounts == Shape{INT64_MAX, 1});
  }
}
