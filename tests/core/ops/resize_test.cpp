#include "strata/core/ops/resize.h"

#include <doctest/doctest.h>

#include "support/f32_fact.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor line(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}
Tensor scale(float s) { return Tensor::of<float>({1}, {s}); }
Tensor size(std::int64_t n) { return Tensor::of<std::int64_t>({1}, {n}); }

}  // namespace

TEST_SUITE("resize") {
  TEST_CASE("resize repeats the nearest element") {
    check_op(Resize{}, {line({1, 2}), scale(2)}, {line({1, 1, 2, 2})});
    check_op(Resize{}, {line({1, 2, 3, 4}), size(2)}, {line({1, 3})});
    check_op(Resize{.nearest = NearestMode::round_prefer_ceil}, {line({1, 2, 3, 4}), size(2)},
             {line({2, 4})});
  }

  TEST_CASE("resize of TensorFlow's nearest neighbours looks half an element further") {
    // Outputs 0 and 1 lie at 0.5 / 0.5 = 1 and 1.5 / 0.5 = 3.
    check_op(Resize{.coordinates = ResizeCoordinates::tf_half_pixel_for_nn},
             {line({1, 2, 3, 4}), size(2)}, {line({2, 4})});
  }

  TEST_CASE("resize moves elements of any type when it takes the nearest") {
    check_op(Resize{}, {Tensor::of<std::string>({2}, {"a", "b"}), scale(1.5)},
             {Tensor::of<std::string>({3}, {"a", "a", "b"})});
  }

  TEST_CASE("resize of the first versions takes the floor growing and the ceil shrinking") {
    const Resize op{.coordinates = ResizeCoordinates::asymmetric,
                    .nearest = NearestMode::floor_or_ceil};
    check_op(op, {line({1, 2, 3, 4}), scale(0.6f)}, {line({1, 3})});
    check_op(op, {line({1, 2}), scale(2)}, {line({1, 1, 2, 2})});
  }

  TEST_CASE("resize interpolates between neighbours") {
    Resize op{.mode = ResizeMode::linear};
    check_op(op, {line({0, 4}), scale(2)}, {line({0, 1, 3, 4})});
    op.coordinates = ResizeCoordinates::align_corners;
    check_op(op, {line({0, 3}), scale(2)}, {line({0, 1, 2, 3})});
    op.coordinates = ResizeCoordinates::asymmetric;
    check_op(op, {line({0, 4}), scale(2)}, {line({0, 2, 4, 4})});
  }

  TEST_CASE("resize by a cubic kernel keeps a constant and weighs four neighbours") {
    const Resize op{.mode = ResizeMode::cubic, .coordinates = ResizeCoordinates::asymmetric};
    check_op(op, {line({5, 5, 5}), size(6)}, {line({5, 5, 5, 5, 5, 5})});
    // Half way the weights are a/8, 1/2 - a/8 twice, a/8 with a = -3/4: -3/32, 19/32, 19/32, -3/32.
    check_op(op, {line({0, 0, 32, 0, 0}), size(10)}, {line({0, -3, 0, 19, 32, 19, 0, -3, 0, 0})});
  }

  TEST_CASE("resize to one element as PyTorch does it takes the first") {
    check_op(
        Resize{.mode = ResizeMode::cubic, .coordinates = ResizeCoordinates::pytorch_half_pixel},
        {line({8, 4, 2}), size(1)}, {line({8})});
  }

  TEST_CASE("resize widens the kernel where it smooths what shrinks") {
    // Scale 1/2: distances 3/4, 1/4, 1/4, 3/4 of the kernel give the weights 1, 3, 3, 1 over 8,
    // edges repeated.
    const Resize op{.mode = ResizeMode::linear, .antialias = true};
    check_op(op, {line({8, 0, 0, 16}), size(2)}, {line({4, 8})});
  }

  TEST_CASE("resize leaves out what lies outside when told so") {
    const Resize op{.mode = ResizeMode::linear, .exclude_outside = true, .antialias = true};
    check_op(op, {line({7, 0, 0, 14}), size(2)}, {line({3, 6})});
  }

  TEST_CASE("resize reads a region and puts the extrapolation value outside") {
    const Resize op{.mode = ResizeMode::linear,
                    .coordinates = ResizeCoordinates::tf_crop_and_resize,
                    .extrapolation = -1};
    const Tensor roi = Tensor::of<float>({2}, {0.5, 1.5});
    check_op(op, {line({0, 1, 2}), size(3), roi}, {line({1, 2, -1})});
  }

  TEST_CASE("resize of some axes keeps the others") {
    const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
    check_op(Resize{.axes = Shape{-2}}, {x, scale(2)},
             {Tensor::of<float>({4, 2}, {1, 2, 1, 2, 3, 4, 3, 4})});
  }

  TEST_CASE("resize keeps the aspect ratio when told so") {
    const Tensor x = Tensor::of<float>({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}),
                 wanted = Tensor::of<std::int64_t>({2}, {6, 8});
    CHECK((Resize{.aspect_ratio = AspectRatio::not_larger}.eval(TensorList{x, wanted})[0].shape() ==
           Shape{4, 8}));
    CHECK(
        (Resize{.aspect_ratio = AspectRatio::not_smaller}.eval(TensorList{x, wanted})[0].shape() ==
         Shape{6, 12}));
  }

  TEST_CASE("resize rounds integers and ends at the ends of their type") {
    const Resize op{.mode = ResizeMode::cubic, .coordinates = ResizeCoordinates::asymmetric};
    check_op(op, {Tensor::of<std::uint8_t>({4}, {0, 0, 255, 255}), size(8)},
             {Tensor::of<std::uint8_t>({8}, {0, 0, 0, 128, 255, 255, 255, 255})});
  }

  TEST_CASE("resize scales symbolic sizes") {
    const Fact x =
        Fact::tensor(DatumType::f32, {{Dim::symbol("N"), Dim::symbol("H"), Dim::symbol("W")}});
    const Fact scales = Fact::of(Tensor::of<float>({3}, {1, 2, 0.5}));
    CHECK(facts_of(Resize{}, {x, scales})[0].shape.to_string() == "[N,2*H,floor_div(W,2)]");
  }

  TEST_CASE("resize_c1: no target") { check_refused(Resize{}, {f32({2})}, "(C1)"); }
  TEST_CASE("resize_c2: interpolated strings") {
    check_refused(Resize{.mode = ResizeMode::linear},
                  {Fact::tensor(DatumType::string, Shape{2}), f32({1})}, "(C2)");
  }
  TEST_CASE("resize_c3: an axis twice") {
    check_refused(Resize{.axes = Shape{0, -1}}, {f32({2}), f32({2})}, "(C3)");
  }
  TEST_CASE("resize_c4: a target of another length") {
    check_refused(Resize{}, {f32({2}), f32({2})}, "(C4)");
  }
  TEST_CASE("resize_c5: a scale of 0") {
    check_refused(Resize{}, {f32({2}), Fact::of(scale(0))}, "(C5)");
  }
  TEST_CASE("resize_c6: no region") {
    const Resize op{.coordinates = ResizeCoordinates::tf_crop_and_resize};
    CHECK_THROWS_WITH_AS(op.eval(TensorList{line({1, 2}), scale(2)}), doctest::Contains("(C6)"),
                         Error);
  }
}
