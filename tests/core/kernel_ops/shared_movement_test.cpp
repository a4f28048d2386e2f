#include <algorithm>
#include <numeric>

#include "core/kernel_ops/on_threads.h"
#include "strata/core/ops/arg_reduce.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/gather_elements.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/scatter_nd.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/tile.h"
#include "strata/core/ops/transpose.h"

using namespace strata;
using namespace strata::tests;

namespace {

KernelOperand integers(std::vector<std::int64_t> values) {
  return {Tensor::vector<std::int64_t>(values), true};
}

/// Places below `extent`, some of them more than once.
Tensor places(const Shape& shape, std::int64_t extent) {
  Noise noise(11);
  MutableTensor out(DatumType::i64, shape);
  for (std::int64_t& place : out.as<std::int64_t>()) place = noise.number(-extent, extent - 1);
  return std::move(out).freeze();
}

}  // namespace

TEST_SUITE("shared movement") {
  TEST_CASE("moved elements are the same on any number of threads") {
    Reals reals;
    const Tensor x = reals({6, 70, 301});
    for (const std::vector<std::int64_t>& perm :
         std::vector<std::vector<std::int64_t>>{{0, 2, 1}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}})
      check_lowered_threads(Transpose{perm}, {{x}});
    check_lowered_threads(Transpose{{1, 0}}, {{reals({40000, 3})}});
    check_lowered_threads(Transpose{{1, 0}}, {{reals({3, 40000})}});
    for (const std::int64_t axis : {0, 1, 2})
      check_lowered_threads(
          Slice{}, {{x}, integers({-1}), integers({-1000}), integers({axis}), integers({-2})});
    check_lowered_threads(Split{2, 2}, {{x}, integers({100, 201})});
    check_lowered_threads(Tile{}, {{x}, integers({1, 2, 1})});
    check_lowered_threads(Expand{}, {{reals({6, 1, 301})}, integers({6, 70, 301})});
    check_lowered_threads(Expand{}, {{reals({1})}, integers({200000})});
  }

  TEST_CASE("padded tensors are the same on any number of threads, and those of the definition") {
    Reals reals;
    for (const Shape& shape : {Shape{5, 7, 60, 61}, Shape{300, 3, 5, 31}, Shape{1, 1, 300, 301}})
      for (const PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::edge, PadMode::wrap})
        for (const std::vector<std::int64_t>& pads : std::vector<std::vector<std::int64_t>>{
                 {0, 0, 1, 2, 0, 0, 2, 1}, {0, 0, 0, 3, 0, 0, 0, 0}, {1, 0, 0, 2, 0, 0, 0, 1}}) {
          const std::vector<KernelOperand> operands{{reals(shape)}, integers(pads)};
          check_lowered_threads(Pad{mode}, operands);
          check_lowered(Pad{mode}, operands, "PadKernel");
        }
  }

  TEST_CASE("picked elements are the same on any number of threads") {
    Reals reals;
    const Tensor x = reals({3, 400, 70});
    for (const std::int64_t axis : {0, 1, 2}) {
      const std::int64_t extent = x.shape()[static_cast<std::size_t>(axis)];
      check_lowered_threads(Gather{axis}, {{x}, {places({501}, extent), true}});
      Shape picked = x.shape();
      picked[static_cast<std::size_t>(axis)] = 250;
      const std::vector<KernelOperand> operands{{x}, {places(picked, extent), true}};
      check_lowered_threads(GatherElements{axis}, operands);
      check_lowered(GatherElements{axis}, operands, "GatherElementsKernel");
    }
    for (const ScatterReduction reduction : {ScatterReduction::none, ScatterReduction::add})
      for (const std::int64_t inner : {7, 70}) {  // short slices and long ones
        const std::int64_t slices = 63000 / inner;
        const std::vector<KernelOperand> operands{{reals({slices, inner})},
                                                  {places({slices + 301, 1}, slices), true},
                                                  {reals({slices + 301, inner})}};
        check_lowered_threads(ScatterNd{reduction}, operands);
        check_lowered(ScatterNd{reduction}, operands, "ScatterNdKernel");
      }
  }

  TEST_CASE("chosen elements are the same on any number of threads") {
    Reals reals;
    const Tensor x = reals({300, 200}), row = reals({200});
    const Tensor condition = cast(places({300, 200}, 1), DatumType::boolean);
    check_lowered_threads(Select{}, {{condition}, {x}, {reals({300, 200})}});
    check_lowered_threads(Select{}, {{condition}, {x}, {row}});
    check_lowered_threads(Select{}, {{cast(places({300, 1}, 1), DatumType::boolean)}, {row}, {x}});
    check_lowered_threads(ArgReduce{.axis = 0}, {{reals({40, 3001})}});
  }
}
