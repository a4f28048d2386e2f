#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/kernel_ops/on_threads.h"
#include "kernel_ops/deform_columns.h"
#include "kernel_ops/grid_sample_kernel.h"
#include "strata/core/ops/deform_conv.h"
#include "strata/core/ops/grid_sample.h"
#include "strata/core/ops/roi_align.h"
#include "strata/core/ops/transpose.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// Sums of a few products of numbers up to 1, places of up to a hundred elements in f32.
constexpr KernelTolerance kSums{.relative = 1e-4, .absolute = 3e-5};

/// Regions of all kinds for an image of 11 by 19: within it, over its edges, beyond it, small,
/// large, and from their ends to their beginnings.
const Tensor kRegions = Tensor::of<float>(
    {9, 4}, {1,  2,  9,   8,   -7,  -5,  4,  30, 3, 3, 3.5, 3.25, 0,  0,  19, 11, 40, 50,
             60, 70, -90, -80, 200, 190, 15, 9,  2, 1, 18,  10,   -4, -9, 6,  1,  2,  9});
const Tensor kItems = Tensor::of<std::int64_t>({9}, {0, 1, 1, 0, 1, 0, 1, 0, 1});

/// Places from well outside on one side to well outside on the other.
Tensor grid_of(Reals& reals, const Shape& shape) {
  const Tensor inside = reals(shape);
  MutableTensor out(DatumType::f32, shape);
  for (std::size_t i = 0; i < out.as<float>().size(); ++i)
    out.as<float>()[i] = inside.as<float>()[i] * (i % 5 == 0 ? 3.0f : 1.0f);
  return std::move(out).freeze();
}

/// A deformed convolution along some axes, and operands for it: offsets of up to three elements.
struct Deformed {
  DeformConv op;
  Tensor x, w, offsets, mask;

  Deformed(Reals& reals, const DeformConv& deform, const Shape& x_shape, const Shape& w_shape)
      : op(deform), x(reals(x_shape)), w(reals(w_shape)) {
    const ConvGeometry sizes = op.plain().geometry(x_shape, w_shape);
    offsets = grid_of(reals, op.operand_shape(sizes, 2));
    mask = reals(op.operand_shape(sizes, 3));
  }
  DeformColumns columns() const { return {{op}, w.shape()}; }
};

}  // namespace

TEST_SUITE("sampling kernels") {
  TEST_CASE("regions are averaged wherever they lie, whole or in parts by threads") {
    Reals reals;
    const Tensor x = reals({2, 5, 11, 19});
    for (const bool half_pixel : {true, false})
      for (const std::int64_t samples : {0, 1, 2, 3})
        for (const auto& [height, width] : {std::pair{1, 1}, {7, 7}, {3, 20}}) {
          const RoiAlign op{.height = height,
                            .width = width,
                            .samples = samples,
                            .scale = 0.75,
                            .half_pixel = half_pixel};
          CAPTURE(samples);
          CAPTURE(half_pixel);
          check_lowered(op, {{x}, {kRegions}, {kItems}}, "RoiAlignKernel", kSums);
          check_lowered_threads(op, {{x}, {kRegions}, {kItems}});
        }
  }

  TEST_CASE("regions of an image past the batch are refused, and those without an image are zero") {
    const RoiAlign op{.height = 2, .width = 2, .samples = 2};
    Reals reals;
    const Tensor region = Tensor::of<float>({1, 4}, {0, 0, 2, 2});
    for (const std::int64_t item : {-1, 0, 2})
      check_lowered(op, {{reals({2, 1, 3, 3})}, {region}, {Tensor::of<std::int64_t>({1}, {item})}},
                    "RoiAlignKernel", kSums);
  }

  TEST_CASE("a region whose numbers are none lies outside") {
    const float none = std::numeric_limits<float>::quiet_NaN();
    Reals reals;
    check_lowered(RoiAlign{.height = 2, .width = 3, .samples = 2},
                  {{reals({1, 2, 4, 4})},
                   {Tensor::of<float>({1, 4}, {none, 0, 2, 2})},
                   {Tensor::of<std::int64_t>({1}, {0})}},
                  "RoiAlignKernel", kSums);
  }

  TEST_CASE("grids are sampled in all modes along one to three axes") {
    Reals reals;
    for (const auto& [mode, mode_name] : enumerators(GridMode::linear))
      for (const auto& [padding, padding_name] : enumerators(GridPadding::zeros))
        for (const bool align_corners : {true, false})
          for (std::size_t axes = 1; axes <= 3; ++axes) {
            CAPTURE(mode_name);
            CAPTURE(padding_name);
            for (const std::int64_t channels : {3, 19}) {  // in planes, and in blocks
              const Shape sizes{7, 6, 5}, places{21, 17, 3};
              Shape x{2, channels}, grid{2};
              for (std::size_t a = 0; a < axes; ++a) {
                x.push_back(sizes[a]);
                grid.push_back(places[a]);
              }
              grid.push_back(static_cast<std::int64_t>(axes));
              const GridSample op{mode, padding, align_corners};
              const Tensor values = reals(x), at = grid_of(reals, grid);
              check_lowered(op, {{values}, {at}}, "GridSampleKernel", kSums);
              if (axes == 2 && channels == 3) check_lowered_threads(op, {{values}, {at}});
            }
          }
  }

  TEST_CASE("blocks of channels are sampled by threads as by one") {
    Reals reals;
    const Tensor x = reals({2, 3, 7, 6, kernels::kChannelBlock}),
                 grid = grid_of(reals, {2, 21, 17, 2});
    for (const Isa isa : supported_isas())
      check_threads(GridSampleKernel{{}, kernels::Layout::blocks, isa}, {x, grid});
  }

  TEST_CASE("places between four elements are sampled four at a time, and what is left") {
    Reals reals;
    for (const GridPadding padding : {GridPadding::zeros, GridPadding::border}) {
      MutableTensor grid(DatumType::f32, {2, 5, 9, 2});
      float place = 0;
      for (float& x : grid.as<float>()) x = 0.8F * std::sin(place += 0.7F);
      grid.as<float>()[40] = 1.2F;  // one group reaches over the edge
      check_lowered(GridSample{GridMode::linear, padding, false},
                    {{reals({2, 3, 7, 6})}, {std::move(grid).freeze()}}, "GridSampleKernel", kSums);
    }
  }

  TEST_CASE("what lies outside a grid's image is zero beside infinities") {
    const float most = std::numeric_limits<float>::infinity();
    const Tensor x = Tensor::of<float>({1, 1, 2, 2}, {most, most, 1, 2});
    const Tensor grid = Tensor::of<float>({1, 1, 2, 2}, {-1, 1, 5, 5});
    check_lowered(GridSample{}, {{x}, {grid}}, "GridSampleKernel");
    MutableTensor many(DatumType::f32, {1, 16, 2, 2});
    for (std::size_t i = 0; i < 64; ++i) many.as<float>()[i] = x.as<float>()[i % 4];
    check_lowered(GridSample{}, {{std::move(many).freeze()}, {grid}}, "GridSampleKernel");
  }

  TEST_CASE("taps of a convolution are moved along one to three axes, with a mask and without") {
    Reals reals;
    for (std::size_t axes = 1; axes <= 3; ++axes)
      for (const bool is_spread : {false, true}) {
        CAPTURE(axes);
        CAPTURE(is_spread);
        DeformConv op;
        Shape x{2, 6}, w{4, is_spread ? 3 : 6}, before, after;
        for (std::size_t a = 0; a < axes; ++a) {
          x.push_back(Shape{9, 11, 5}[a]);
          w.push_back(Shape{3, 2, 2}[a]);
          if (!is_spread) continue;
          op.strides.push_back(Shape{2, 1, 1}[a]);
          op.dilations.push_back(Shape{1, 2, 1}[a]);
          before.push_back(Shape{1, 2, 0}[a]);
          after.push_back(Shape{0, 1, 2}[a]);
        }
        if (is_spread) op.group = 2, op.offset_group = 3;
        op.padding.amounts = before;
        for (const std::int64_t amount : after) op.padding.amounts.push_back(amount);
        const Deformed net(reals, op, x, w);
        check_lowered_when_fixed(op, {{net.x}, {net.w}, {net.offsets}}, "DeformColumns", kSums);
        check_lowered_when_fixed(op, {{net.x}, {net.w}, {net.offsets}, {net.mask}}, "DeformColumns",
                                 kSums);
      }
  }

  TEST_CASE("moved taps are the same on several threads, more of them than are found at once") {
    Reals reals;
    const Deformed net(reals, {.offset_group = 2}, {2, 4, 70, 75}, {3, 4, 2, 3});
    const Tensor x = Transpose{{0, 2, 3, 1}}.eval(std::vector{net.x})[0];
    check_threads(net.columns(), {x, net.offsets, net.mask});
    check_lowered_when_fixed(net.op, {{net.x}, {net.w}, {net.offsets}, {net.mask}}, "DeformColumns",
                             kSums);
  }

  TEST_CASE("taps that are moved far away, or by no number, find zeros") {
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN(), kFar = 1e30F;
    const Tensor x = Tensor::of<float>({1, 1, 1, 3}, {1, 2, 3}),
                 w = Tensor::of<float>({1, 1, 1, 1}, {1}),
                 offsets = Tensor::of<float>({1, 2, 1, 3}, {kNone, 0, 0, 0, kFar, -kFar});
    check_lowered_when_fixed(DeformConv{}, {{x}, {w}, {offsets}}, "DeformColumns");
  }

  TEST_CASE("a tap a hair's breadth before the end of a row takes nothing from the next") {
    const float hair = std::ldexp(-1.0F, -51);  // 4 with it, and 1 more, rounds to 5
    const Tensor x = Tensor::of<float>({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
                 w = Tensor::of<float>({1, 2, 1}, {1, 0}),
                 offsets = Tensor::of<float>({1, 1, 5}, {0, 0, 0, 0, hair});
    check_lowered_when_fixed(DeformConv{.padding = {.amounts = {0, 1}}}, {{x}, {w}, {offsets}},
                             "DeformColumns", kSums);
  }

  TEST_CASE("a deformed convolution whose offsets do not fit is left to the op that says so") {
    const Tensor x = Tensor::of<float>({1, 1, 1, 3}, {1, 2, 3}),
                 w = Tensor::of<float>({1, 1, 1, 1}, {1}),
                 offsets = Tensor::of<float>({1, 2, 1, 2}, {0, 0, 0, 0});
    check_lowered_when_fixed(DeformConv{}, {{x}, {w}, {offsets}}, "DeformConv");
  }

  TEST_CASE("places of a grid far away, or that are no number, have no elements around them") {
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN(), kFar = 1e30F;
    const Tensor x = Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4}),
                 grid = Tensor::of<float>({1, 1, 3, 2}, {kFar, 0, 0, -kFar, kNone, kNone});
    for (const auto& [mode, name] : enumerators(GridMode::linear))
      check_op(GridSample{.mode = mode}, {x, grid}, {Tensor::of<float>({1, 1, 1, 3}, {0, 0, 0})});
  }
}
