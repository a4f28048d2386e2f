#pragma once

#include <array>
#include <set>

#include "core/kernel_ops/model_writer.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "support/lowered.h"
#include "support/models.h"
#include "support/op_case.h"

/// Models of one step of a recurrent cell, in the ways that exporters write it.
namespace strata::tests {

inline constexpr std::int64_t kHidden = 5, kBatch = 3;

/// How a test writes a cell; a field other than its default is one deviation from the plain form.
struct Spelling {
  enum class Cut { split, slices } cut = Cut::split;
  enum class Order { as_written, swapped } order = Order::as_written;  ///< operands of + and *
  enum class Bias { none, first, last } bias = Bias::last;
  enum class X { plane, row } x = X::plane;  ///< f32[N, 4H], or f32[1, N, 4H] squeezed
  std::array<std::int64_t, 4> places = {0, 1, 2, 3};
  TypedOp gate = Unary{UnaryOp::sigmoid};
  TypedOp squash = Unary{UnaryOp::tanh};
  std::set<std::size_t> peepholes;  ///< of the input, output and forget gates
  Dim batch = kBatch;
};

/// Writes the steps of cells.
class CellWriter : public ModelWriter {
 public:
  explicit CellWriter(Spelling spelling) : s(std::move(spelling)) {}

  OutletId source(std::string_view name, std::vector<Dim> dims) {
    return model.add_source(name, Fact::tensor(DatumType::f32, std::move(dims)));
  }
  OutletId noise(const Shape& shape) { return constant(random_.tensor(DatumType::f32, shape)); }
  OutletId binary(BinaryOp op, OutletId a, OutletId b) {
    if (s.order == Spelling::Order::swapped && op != BinaryOp::sub) std::swap(a, b);
    return ModelWriter::binary(op, a, b);
  }
  OutletId add(OutletId a, OutletId b) { return binary(BinaryOp::add, a, b); }
  OutletId mul(OutletId a, OutletId b) { return binary(BinaryOp::mul, a, b); }

  OutletIds cut(OutletId whole, std::int64_t parts) {
    if (s.cut == Spelling::Cut::split)
      return model.wire(model.unique_name("split"), Split{-1, static_cast<std::size_t>(parts)},
                        {whole});
    OutletIds out;
    const auto one = [&](std::int64_t n) { return constant(Tensor::of<std::int64_t>({1}, {n})); };
    for (std::int64_t i = 0; i < parts; ++i)
      out.push_back(
          wire(Slice{}, {whole, one(i * kHidden), one((i + 1) * kHidden), one(1), one(1)}));
    return out;
  }
  OutletId x(std::int64_t gates) {
    if (s.x == Spelling::X::plane) return source("x", {s.batch, gates * kHidden});
    const OutletId row = source("x", {1, s.batch, gates * kHidden});
    return wire(Squeeze{}, {row, constant(Tensor::of<std::int64_t>({1}, {0}))});
  }

  Spelling s;
  OutletId h, c;
  OutletId sums, next_c, next_h;
  OutletIds gates;  ///< after their functions

 private:
  Noise random_{7};
};

}  // namespace strata::tests
