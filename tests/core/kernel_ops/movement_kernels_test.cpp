#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "core/kernel_ops/all_widths.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/size_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/tile.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/trilu.h"
#include "strata/core/ops/unsqueeze.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("movement kernels") {
  TEST_CASE("slices by any bounds and steps") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::size_t rank = static_cast<std::size_t>(noise.number(1, 4));
      std::vector<std::int64_t> axes(rank), steps;
      std::iota(axes.begin(), axes.end(), 0);
      for (std::int64_t& axis : axes)
        if (noise.number(0, 1) == 0) axis -= static_cast<std::int64_t>(rank);
      std::reverse(axes.begin(), axes.end());
      axes.resize(static_cast<std::size_t>(noise.number(1, static_cast<int>(rank))));
      for (std::size_t i = 0; i < axes.size(); ++i)
        steps.push_back(noise.number(1, 3) * (noise.number(0, 1) == 0 ? 1 : -1));
      const auto starts = numbers(noise, axes.size(), -8, 8),
                 ends = numbers(noise, axes.size(), -8, 8);
      const bool bounds_known = noise.number(0, 1) == 0;
      check_lowered(Slice{},
                    {{noise.tensor(type, noise.shape(rank, 0, 7))},
                     {noise.integers(DatumType::i64, starts), bounds_known},
                     {noise.integers(DatumType::i64, ends), bounds_known},
                     {noise.integers(DatumType::i64, axes), true},
                     {noise.integers(DatumType::i64, steps), true}},
                    "SliceKernel");
    });
  }

  TEST_CASE("slices by the least and the greatest bounds and steps") {
    Noise noise(1);
    for (const std::int64_t step : {INT64_MIN, std::int64_t{-1}, std::int64_t{1}, INT64_MAX})
      check_lowered(Slice{},
                    {{noise.tensor(DatumType::f32, {5, 2})},
                     {noise.integers(DatumType::i64, {step < 0 ? INT64_MAX : INT64_MIN}), true},
                     {noise.integers(DatumType::i64, {step < 0 ? INT64_MIN : INT64_MAX}), true},
                     {noise.integers(DatumType::i64, {0}), true},
                     {noise.integers(DatumType::i64, {step}), true}},
                    "SliceKernel");
  }

  TEST_CASE("TransposeKernel transposes by any permutation") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::size_t rank = static_cast<std::size_t>(noise.number(0, 5));
      Transpose op;
      for (std::size_t i = 0; i < rank; ++i)
        op.perm.insert(op.perm.begin() + noise.number(0, static_cast<std::int64_t>(i)),
                       static_cast<std::int64_t>(i));
      if (noise.number(0, 4) == 0) op.perm.clear();
      check_lowered(op, {{noise.tensor(type, noise.shape(rank, noise.number(0, 1), 6))}},
                    kAnyKernel);
    });
  }

  TEST_CASE("transposes of planes larger than a block, and not a multiple of it") {
    Noise noise(2);
    for (const DatumType type : kTypes)
      for (const Shape& shape : {Shape{70, 37}, Shape{2, 33, 64}, Shape{2, 35, 3, 41}})
        for (const bool all : {false, true}) {
          Transpose op;
          for (std::size_t i = 0; i < shape.size(); ++i)
            op.perm.push_back(static_cast<std::int64_t>(i));
          if (all)
            op.perm.clear();
          else
            std::swap(op.perm[shape.size() - 1], op.perm[shape.size() - 2]);
          check_lowered(op, {{noise.tensor(type, shape)}}, "TransposeKernel");
        }
  }

  TEST_CASE("stretches axes of size 1, and adds axes") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::size_t rank = static_cast<std::size_t>(noise.number(0, 4)),
                        more = static_cast<std::size_t>(noise.number(0, 2));
      Shape shape = noise.shape(rank, 0, 4);
      std::vector<std::int64_t> target = numbers(noise, more, 0, 3);
      for (std::int64_t& size : shape) {
        target.push_back(noise.number(0, 3) == 0 ? 1 : size);
        if (noise.number(0, 2) == 0) size = 1;
      }
      if (!target.empty() && noise.number(0, 4) == 0) target.erase(target.begin());
      check_lowered(Expand{},
                    {{noise.tensor(type, shape)},
                     {noise.integers(index_type(noise), target), noise.number(0, 2) > 0}},
                    "ExpandKernel");
    });
  }

  TEST_CASE("a target that does not broadcast is refused in the run") {
    Noise noise(3);
    for (const auto& target : {std::vector<std::int64_t>{2, 4}, {-1, 3}})
      check_lowered(
          Expand{},
          {{noise.tensor(DatumType::f32, {2, 3})}, {noise.integers(DatumType::i64, target)}},
          "ExpandKernel");
  }

  TEST_CASE("TileKernel repeats along any axes") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::size_t rank = static_cast<std::size_t>(noise.number(0, 4));
      check_lowered(Tile{},
                    {{noise.tensor(type, noise.shape(rank, noise.number(0, 1), 4))},
                     {noise.integers(index_type(noise), numbers(noise, rank, 0, 3)),
                      noise.number(0, 1) == 0}},
                    "TileKernel");
    });
  }

  TEST_CASE("joins parts along any axis") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::size_t rank = static_cast<std::size_t>(noise.number(1, 4));
      Shape shape = noise.shape(rank, noise.number(0, 1), 4);
      const std::int64_t at = noise.number(0, static_cast<std::int64_t>(rank) - 1);
      std::vector<KernelOperand> parts;
      for (std::int64_t i = noise.number(1, 4); i > 0; --i) {
        shape[static_cast<std::size_t>(at)] = noise.number(0, 4);
        parts.push_back({noise.tensor(type, shape), noise.number(0, 3) == 0});
      }
      parts[0].constant = false;
      check_lowered(Concat{noise.number(0, 1) == 0 ? at : at - static_cast<std::int64_t>(rank)},
                    parts, "ConcatKernel");
    });
  }

  TEST_CASE("splits along any axis, into equal or given parts") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::size_t rank = static_cast<std::size_t>(noise.number(1, 4));
      Shape shape = noise.shape(rank, 0, 5);
      Split op;
      op.axis = noise.number(0, static_cast<std::int64_t>(rank) - 1);
      op.outputs = static_cast<std::size_t>(noise.number(1, 4));
      const auto sizes = numbers(noise, op.outputs, 0, 3);
      const bool given = noise.number(0, 1) == 0;
      auto& extent = shape[static_cast<std::size_t>(op.axis)];
      if (given) extent = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
      if (noise.number(0, 1) == 0) op.axis -= static_cast<std::int64_t>(rank);
      std::vector<KernelOperand> operands{{noise.tensor(type, shape)}};
      if (given) operands.push_back({noise.integers(DatumType::i64, sizes), true});
      check_lowered(op, operands, "SplitKernel");
    });
  }

  TEST_CASE("views keep the elements") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::int64_t a = noise.number(1, 4), b = noise.number(1, 4);
      const Tensor data = noise.tensor(type, {a, 1, b});
      const auto vector = [&](std::vector<std::int64_t> values) {
        return KernelOperand{noise.integers(DatumType::i64, values), true};
      };
      check_lowered(Reshape{}, {{data}, vector({b, a})}, "ViewKernel");
      check_lowered(Reshape{}, {{data}, vector({0, -1, 1, b})}, "ViewKernel");
      check_lowered(Reshape{ReshapeZero::keep}, {{data}, vector({a, b})}, "ViewKernel");
      check_lowered(Squeeze{}, {{data}, vector({1})}, "ViewKernel");
      check_lowered(Unsqueeze{}, {{data}, vector({0, -1})}, "ViewKernel");
    });
  }

  TEST_CASE("a target of another size is refused in the run") {
    Noise noise(5);
    check_lowered(
        Reshape{},
        {{noise.tensor(DatumType::f32, {2, 3})}, {noise.integers(DatumType::i64, {5}), true}},
        "ViewKernel");
  }

  TEST_CASE("ShapeOfKernel gives the sizes of a range of axes") {
    Noise noise(6);
    const Tensor x = noise.tensor(DatumType::f32, {4, 5, 3});
    for (const ShapeOf& op : {ShapeOf{}, ShapeOf{1}, ShapeOf{-2, 2}, ShapeOf{2, 1}, ShapeOf{-9, 9}})
      check_lowered(op, {{x}}, "ShapeOfKernel");
    check_lowered(SizeOf{}, {{x}}, "ShapeOfKernel");
    check_lowered(SizeOf{}, {{Tensor::scalar(1.0F)}}, "ShapeOfKernel");
  }

  TEST_CASE("keeps triangles on either side of any diagonal") {
    in_all_widths([](Noise& noise, DatumType type) {
      for (const Triangle kept : {Triangle::upper, Triangle::lower}) {
        const Tensor data = noise.tensor(type, noise.shape(3, 0, 5));
        check_lowered(Trilu{kept}, {{data}}, "TriluKernel");
        for (const std::int64_t k : {-6, -2, 0, 1, 6})
          check_lowered(Trilu{kept}, {{data}, {noise.integers(DatumType::i64, {k})}},
                        "TriluKernel");
      }
    });
    Noise noise(7);
    const Tensor data = noise.tensor(DatumType::f32, {3, 4});
    for (const std::int64_t k : {INT64_MIN, INT64_MAX})
      for (const Triangle kept : {Triangle::upper, Triangle::lower})
        check_lowered(Trilu{kept}, {{data}, {noise.integers(DatumType::i64, {k}), true}},
                      "TriluKernel");
  }
}
