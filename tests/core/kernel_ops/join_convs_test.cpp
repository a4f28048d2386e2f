#include <doctest/doctest.h>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/unary.h"
#include "support/lowered.h"
#include "support/models.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// A convolution of a sum.
struct Part {
  Conv op;
  Shape weights;
  bool has_bias = false;
};

Padding padded(std::int64_t before, std::int64_t after) {
  return {Padding::Kind::fixed, {before, before, after, after}};
}

/// Makes the sum of convolutions of x, one after the other, and adds it to the model.
class Sum {
 public:
  Sum(const Shape& image, std::uint32_t seed)
      : noise_(seed), image_(image), x_(model_.add_source("x", float_fact(image))) {}

  Sum& add(const Part& part) {
    OutletIds inputs{x_, constant(part.weights)};
    if (part.has_bias) inputs.push_back(constant({part.weights[0]}));
    return add(model_.wire_one(cat("conv", count_), part.op, inputs));
  }
  /// x times a number for each channel, and such a number more.
  Sum& add_scaled(const Shape& channels, bool has_term) {
    OutletId y =
        model_.wire_one(cat("scaled", count_), Binary{BinaryOp::mul}, {constant(channels), x_});
    if (has_term)
      y = model_.wire_one(cat("moved", count_), Binary{BinaryOp::add}, {y, constant(channels)});
    return add(y);
  }
  Sum& add(OutletId term) {
    sum_ = count_ == 0 ? term
                       : model_.wire_one(cat("sum", count_), Binary{BinaryOp::add}, {*sum_, term});
    last_ = term;
    ++count_;
    return *this;
  }
  OutletId last() const { return last_; }
  TypedModel& model() { return model_; }

  /// How many sums become one convolution; checks that the answers stay what they are.
  std::size_t joined() {
    model_.add_output("y", *sum_);
    const Value input = noise_.tensor(DatumType::f32, image_);
    const ValueList expected = run_model(model_, {&input, 1});
    const RewriteReport report = optimise(model_);
    check_all_close(run_model(model_, {&input, 1}), expected, 1e-4, 1e-3);
    return firings_of(report, "join_convs");
  }

 private:
  OutletId constant(const Shape& shape) {
    return model_.constant(cat("c", constants_++), noise_.tensor(DatumType::f32, shape));
  }

  Noise noise_;
  Shape image_;
  TypedModel model_;
  OutletId x_, last_{};
  std::optional<OutletId> sum_;
  std::size_t count_ = 0, constants_ = 0;
};

}  // namespace

TEST_SUITE("join convs") {
  TEST_CASE("a sum of convolutions of one image is one, with the larger kernel") {
    const Shape image{2, 6, 9, 7};
    const Part three{{.padding = padded(1, 1)}, {6, 6, 3, 3}, true}, one{{}, {6, 6, 1, 1}};
    CHECK(Sum(image, 1).add(three).add(one).joined() == 1);
    CHECK(Sum(image, 2).add(one).add(three).add(three).add(one).joined() == 3);
    // Of each channel alone, and of groups.
    CHECK(Sum(image, 3)
              .add({{.padding = padded(1, 1), .group = 6}, {6, 1, 3, 3}})
              .add({{.group = 6}, {6, 1, 1, 1}, true})
              .joined() == 1);
    CHECK(Sum(image, 4)
              .add({{.padding = padded(2, 2), .group = 2}, {4, 3, 5, 5}})
              .add({{.padding = padded(1, 1), .group = 2}, {4, 3, 3, 3}})
              .joined() == 1);
    // With steps between outputs, or between taps.
    CHECK(Sum(image, 5)
              .add({{.strides = {2, 2}, .padding = padded(1, 1)}, {6, 6, 3, 3}})
              .add({{.strides = {2, 2}, .dilations = {3, 1}}, {6, 6, 1, 1}})
              .joined() == 1);
    CHECK(Sum(image, 6)
              .add({{.dilations = {2, 2}, .padding = padded(4, 4)}, {6, 6, 5, 5}})
              .add({{.dilations = {2, 2}, .padding = padded(2, 2)}, {6, 6, 3, 3}})
              .joined() == 1);
    // Kernels that lie across, or to one side.
    CHECK(Sum(image, 7)
              .add(three)
              .add({{.padding = {Padding::Kind::fixed, {0, 1, 0, 1}}}, {6, 6, 1, 3}})
              .joined() == 1);
    CHECK(Sum(image, 8)
              .add({{.padding = padded(2, 0)}, {6, 6, 3, 3}})
              .add({{.padding = padded(1, 0)}, {6, 6, 2, 2}})
              .joined() == 1);
    // Amounts that the kind of the padding leaves unread.
    CHECK(Sum(image, 10)
              .add({{.padding = {Padding::Kind::valid, {1, 1, 1, 1}}}, {6, 6, 3, 3}})
              .add({{.padding = {Padding::Kind::valid, {}}}, {6, 6, 3, 3}})
              .joined() == 1);
    CHECK(Sum({1, 4, 11}, 9)
              .add({{.padding = {Padding::Kind::fixed, {1, 1}}}, {4, 4, 3}})
              .add({{}, {4, 4, 1}})
              .joined() == 1);
  }

  TEST_CASE("an image that is scaled by channel is a part of the convolution beside it") {
    const Shape image{2, 6, 9, 7}, channels{1, 6, 1, 1};
    const Part three{{.padding = padded(1, 1)}, {6, 6, 3, 3}, true};
    CHECK(Sum(image, 11).add(three).add_scaled(channels, true).joined() == 1);
    CHECK(Sum(image, 12).add_scaled({6, 1, 1}, false).add(three).joined() == 1);
    CHECK(Sum(image, 13).add(three).add_scaled({}, true).joined() == 1);
    CHECK(Sum(image, 14)
              .add({{.padding = padded(1, 1), .group = 6}, {6, 1, 3, 3}})
              .add_scaled(channels, true)
              .joined() == 1);
    CHECK(Sum(image, 15)
              .add({{.padding = padded(1, 1), .group = 2}, {6, 3, 3, 3}})
              .add_scaled(channels, false)
              .joined() == 1);
    CHECK(Sum(image, 16).add(three).add_scaled({9, 1}, true).joined() == 0);  // by row
    CHECK(Sum({2, 1, 9, 7}, 17)
              .add({{.padding = padded(1, 1)}, {6, 1, 3, 3}})
              .add_scaled({6, 1, 1}, false)
              .joined() == 0);  // one channel for all
  }

  TEST_CASE("convolutions that read elsewhere stay, and those that others read") {
    const Shape image{1, 4, 9, 9};
    const Part three{{.padding = padded(1, 1)}, {4, 4, 3, 3}};
    // The taps of one lie between the other's, or beside them.
    CHECK(Sum(image, 21)
              .add({{.dilations = {2, 2}, .padding = padded(2, 2)}, {4, 4, 3, 3}})
              .add(three)
              .joined() == 0);
    CHECK(Sum(image, 22)
              .add({{.padding = padded(1, 0)}, {4, 4, 2, 2}})
              .add({{.padding = padded(0, 1)}, {4, 4, 2, 2}})
              .joined() == 0);
    CHECK(Sum(image, 23)
              .add({{.padding = padded(1, 1), .group = 2}, {4, 2, 3, 3}})
              .add(three)
              .joined() == 0);
    Sum sum(image, 24);
    sum.add(three).add(three);
    sum.model().add_output("last", sum.last());
    CHECK(sum.joined() == 0);
    Sum spread({1, 4, 1, 1}, 25);  // one pixel beside many
    spread.add({{.padding = padded(2, 2)}, {4, 4, 3, 3}}).add({{}, {4, 4, 1, 1}});
    CHECK(spread.joined() == 0);
  }

  TEST_CASE("a sum that would overflow the weights or the bias stays") {
    for (const auto& [weight, bias] : {std::pair{3e38F, 1.0F}, {1.0F, 3e38F}, {1.0F, 1.0F}}) {
      TypedModel model;
      const OutletId x = model.add_source("x", float_fact(Shape{1, 1, 3})),
                     w = model.constant("w", Tensor::of<float>({1, 1, 1}, {weight})),
                     b = model.constant("b", Tensor::of<float>({1}, {bias}));
      const OutletId one = model.wire_one("one", Conv{}, {x, w, b}),
                     other = model.wire_one("other", Conv{.strides = {1}}, {x, w, b});
      model.add_output("y", model.wire_one("y", Binary{BinaryOp::add}, {one, other}));
      CHECK(optimise(model).firings.contains("join_convs") == (weight == bias));
    }
  }
}
