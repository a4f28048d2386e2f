#include "strata/core/quantized.h"

#include <algorithm>

#include "ops/all.h"
#include "ops/conv.h"
#include "ops/support.h"
#include "strata/core/ops/einsum.h"
#include "strata/core/ops/reshape.h"

// Products of quantized numbers as tract has them. x stands for (x - x0) * x_scale, and
//
//   c = round((sums of (a - a0) * (b - b0) + bias) * a_scale * b_scale / c_scale) + c0
//
// at the ends of the result's type for what lies beyond them; halves are rounded to the even
// integer.

namespace strata::opl {
namespace {

OutletId zero_point(Invocation& call, std::string_view parameter) {
  if (!call.given(parameter)) return kAbsent;
  return as_type(call, parameter, call.wire(parameter, DatumType::i32), DatumType::i32);
}

OutletId scale(Invocation& call, std::string_view parameter) {
  return call.given(parameter) ? call.wire(parameter, DatumType::f32)
                               : call.number_constant("one", DatumType::f32, 1);
}

bool is_one(const Fact& fact) {
  const Tensor* value = fact.constant();
  return value != nullptr && value->rank() == 0 && number_at(*value, 0) == 1;
}

/// What becomes of sums that have their bias, as `type`.
OutletIds finish(Invocation& call, Builder& b, OutletId sums, OutletId scale, OutletId c0,
                 DatumType type) {
  if (!is_integer(type)) call.unsupported(cat("quantized numbers as ", type));
  if (c0.is_absent()) c0 = b.scalar(0, DatumType::i32);
  if (type == DatumType::i32 && is_one(b.fact(scale))) return call.make(BinaryOp::add, sums, c0);
  return call.as_result(requantized(b, sums, scale, c0, type));
}

/// A number, or one for each place along an axis that `behind` others follow.
OutletId beside(Invocation& call, OutletId numbers, std::size_t behind) {
  if (numbers.is_absent() || call.rank(numbers) == 0) return numbers;
  if (call.rank(numbers) != 1) call.unsupported("a quantization along more than one axis");
  Shape shape(behind + 1, 1);
  shape[0] = -1;
  return call.step("beside", Reshape{}, {numbers, call.integers_constant("sizes", shape)});
}

/// tract calls the filter a and the input b.
OutletIds read_qconv(Invocation& call) {
  Builder b = call.builder();
  const OutletId input = call.wire("input"), filter = call.wire("filter");
  const Dim channels = filter_size(call, filter, 0);
  const std::size_t rank = call.rank(filter);
  OutletIds operands{
      centred(b, input, zero_point(call, "b0"), DatumType::i32),
      centred(b, filter, beside(call, zero_point(call, "a0"), rank - 1), DatumType::i32)};
  if (const auto bias = read_bias(call, DatumType::i32, channels)) operands.push_back(*bias);
  const OutletId sums = call.step("sums", conv_of(call, input), operands);
  const OutletId filter_scale = beside(call, scale(call, "a_scale"), rank - 2);
  return finish(call, b, sums,
                multiplier(b, scale(call, "b_scale"), filter_scale, scale(call, "c_scale")),
                zero_point(call, "c0"), call.datum_type("output_dt"));
}

/// The equation has a term for each operand, then for the bias and for all that quantizes.
class QuantizedEinsum {
 public:
  explicit QuantizedEinsum(Invocation& call)
      : call_(call), equation_(call.string("expr")), terms_(parse_einsum(equation_)) {
    if (terms_.inputs.size() != 9 || equation_.find("->") == std::string::npos)
      call.fail("an equation of nine terms and a result is wanted");
  }

  OutletIds read() {
    const OutletIds inputs = call_.wires("inputs");
    if (inputs.size() != 2) call_.fail("two tensors are wanted");
    Builder b = call_.builder();
    const auto operand = [&](std::size_t i, std::string_view zero) {
      return centred(b, inputs[i], along(zero_point(call_, zero), 3 + 2 * i, terms_.inputs[i]),
                     DatumType::i32);
    };
    const OutletId products =
        call_.step("products", Einsum{product()}, {operand(0, "a0"), operand(1, "b0")});
    const OutletId bias = zero_point(call_, "bias");
    const OutletId sums = bias.is_absent()
                              ? products
                              : call_.step("sums", BinaryOp::add, products, beside_result(bias, 2));
    const OutletId by = multiplier(b, beside_result(scale(call_, "a_scale"), 4),
                                   beside_result(scale(call_, "b_scale"), 6),
                                   beside_result(scale(call_, "c_scale"), 8));
    return finish(call_, b, sums, by, beside_result(zero_point(call_, "c0"), 7),
                  call_.datum_type("output"));
  }

 private:
  /// The equation of the operands alone.
  std::string product() const {
    const std::size_t second = equation_.find(',', equation_.find(',') + 1);
    return equation_.substr(0, second) + equation_.substr(equation_.find("->"));
  }
  /// Numbers of the axes of term `i` beside a tensor of these labels.
  OutletId along(OutletId numbers, std::size_t i, const std::vector<int>& labels) {
    const std::vector<int>& own = terms_.inputs[i];
    const auto at = own.empty() ? labels.end() : std::ranges::find(labels, own[0]);
    if (!own.empty() && at == labels.end()) call_.unsupported("a quantization along such axes");
    return beside(call_, numbers,
                  own.empty() ? 0 : static_cast<std::size_t>(labels.end() - at) - 1);
  }
  OutletId beside_result(OutletId numbers, std::size_t i) {
    return along(numbers, i, terms_.output);
  }

  Invocation& call_;
  std::string equation_;
  EinsumTerms terms_;
};

OutletIds read_einsum_q(Invocation& call) { return QuantizedEinsum(call).read(); }

}  // namespace

void register_quantized(Readers& readers) {
  readers.add("tract_core_qconv",
              "input, filter, bias, group, dilation, stride, padding, border, a0, a_scale, b0, "
              "b_scale, c0, c_scale, output_dt, groups",
              read_qconv, FragmentKind::takes_quantised);
  readers.add("tract_core_einsum_q",
              "inputs, expr, acc, output, bias, a0, a_scale, b0, b_scale, c0, c_scale",
              read_einsum_q, FragmentKind::takes_quantised);
}

}  // namespace strata::opl
