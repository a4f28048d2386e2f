#pragma once

#include <doctest/doctest.h>

#include "core/kernel_ops/model_writer.h"
#include "strata/core/ops/cast.h"
#include "support/lowered.h"
#include "support/optimised.h"

/// Models of bytes for the tests of integer kernels.
namespace strata::tests {

inline constexpr DatumType kBytes[] = {DatumType::u8, DatumType::i8};

/// Any bytes.
inline Tensor bytes(Noise& noise, DatumType type, const Shape& shape) {
  MutableTensor out(DatumType::i32, shape);
  const std::int64_t least = type == DatumType::u8 ? 0 : -128;
  for (std::int32_t& x : out.as<std::int32_t>())
    x = static_cast<std::int32_t>(noise.number(least, least + 255));
  return cast(std::move(out).freeze(), type);
}

/// A model being wired, and what its inputs are given.
struct Draft : ModelWriter {
  enum class Given { constant, input };
  ValueList values;

  OutletId add(const Tensor& value, Given given) {
    if (given == Given::constant) return constant(value);
    values.push_back(value);
    return model.add_source(model.unique_name("x"), Fact::tensor(value.dtype(), value.shape()));
  }
  /// i32(bytes) - i32(zero), without the difference when there is no zero point.
  OutletId centred(const Tensor& value, const std::optional<Tensor>& zero, Given given) {
    const OutletId wide = wire(Cast{DatumType::i32}, {add(value, given)});
    if (!zero) return wide;
    return binary(BinaryOp::sub, wide, wire(Cast{DatumType::i32}, {add(*zero, given)}));
  }
  OutletId requantised(OutletId sums, const Tensor& factor, const Tensor& offset, DatumType type) {
    const double least = type == DatumType::u8 ? 0 : -128;
    const OutletId scaled =
        binary(BinaryOp::mul, wire(Cast{DatumType::f64}, {sums}), add(factor, Given::constant));
    const OutletId shifted = binary(BinaryOp::add, scaled, add(offset, Given::constant));
    const OutletId raised =
        binary(BinaryOp::max, unary(UnaryOp::round, shifted), constant(Tensor::scalar(least)));
    return wire(Cast{type}, {binary(BinaryOp::min, raised, constant(Tensor::scalar(least + 255)))});
  }
  OutletId dequantised(OutletId sums, const Tensor& scale, Given given) {
    return binary(BinaryOp::mul, wire(Cast{DatumType::f32}, {sums}), add(scale, given));
  }
};
using Given = Draft::Given;

enum class Becomes { only_kernel, kernel_and_more, no_kernel };

/// Checks that the last wire becomes a kernel of this name, and that no bit of it changes.
inline void check_integer(const Draft& given, OutletId last, std::string_view kernel,
                          Becomes becomes = Becomes::only_kernel) {
  Draft draft = given;
  draft.model.add_output("y", last);
  const ValueList before = run_model(draft.model, draft.values);
  optimise(draft.model);
  CHECK(count_of_op(draft.model, kernel) == (becomes == Becomes::no_kernel ? 0U : 1U));
  if (becomes == Becomes::only_kernel) CHECK(computed_nodes(draft.model) == 1U);
  const auto plan = Plan::build(draft.model);
  for (const std::size_t threads : {1, 2, 5}) {
    Session session(plan, SessionOptions{.threads = threads});
    CHECK(session.run(draft.values) == before);
  }
}

/// Checks that declutter leaves the constant bytes of this shape as they are, and that they become
/// the kernel's without a change of any bit of the output.
inline void check_kept_bytes(const Draft& given, OutletId last, const Shape& weights,
                             std::string_view kernel) {
  Draft draft = given;
  draft.model.add_output("y", last);
  const ValueList before = run_model(draft.model, draft.values);
  declutter(draft.model);
  for (const TypedNode& node : draft.model.nodes())
    if (const Const* constant = node.op.as<Const>();
        constant && constant->value->tensor().shape() == weights)
      CHECK(bit_width(constant->value->tensor().dtype()) == 8U);
  optimise(draft.model);
  CHECK(count_of_op(draft.model, kernel) == 1U);
  CHECK(run_model(draft.model, draft.values) == before);
}

inline Tensor numbers(DatumType type, const Shape& shape, double first, double step) {
  MutableTensor out(DatumType::f64, shape);
  for (double& x : out.as<double>()) x = first += step;
  return cast(std::move(out).freeze(), type);
}

inline constexpr std::string_view kMatMul = "IntegerMatMulKernel", kConv = "IntegerConvKernel";

}  // namespace strata::tests
