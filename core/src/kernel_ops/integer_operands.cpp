#include "kernel_ops/integer_operands.h"

#include <algorithm>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"

namespace strata {
namespace {

const TypedNode& maker(const TypedModel& model, OutletId wire) { return model.node(wire.node); }

/// What the wire is cast to i32 from.
std::optional<OutletId> widened_bytes(const TypedModel& model, OutletId wire) {
  const TypedNode& node = maker(model, wire);
  const Cast* cast = node.op.as<Cast>();
  if (!cast || cast->to != DatumType::i32 || !is_bytes(model.fact(node.inputs[0])))
    return std::nullopt;
  return node.inputs[0];
}

template <class T>
kernels::Stretched<T> stretched(const TensorView& values, Span out, OutputAxes axes) {
  kernels::Stretched<T> stretch{values.as<T>()};
  const std::size_t missing = out.size() - values.shape.size();
  for (std::size_t i = 0; i < values.shape.size(); ++i) {
    if (values.shape[i] == 1) continue;
    check_data(values.shape[i] == out[i + missing], "shape ", Span(values.shape),
               " does not stretch to ", out);
    if (i + missing == axes.row) stretch.row_step = 1;
    if (i + missing == axes.column) stretch.column_step = 1;
  }
  return stretch;
}

/// Numbers less than 256 apart in each row as bytes; zero points are 0 where that suits.
std::optional<ByteWeights> narrowed(const Tensor& numbers, std::size_t axis) {
  const Shape& shape = numbers.shape();
  const auto rows = static_cast<std::size_t>(shape[axis]);
  const auto inner = static_cast<std::size_t>(volume(Span(shape).subspan(axis + 1)));
  const auto row_of = [&](std::size_t i) { return i / inner % rows; };
  const auto all = numbers.as<std::int32_t>();
  std::vector<std::int32_t> least(rows, INT32_MAX), greatest(rows, INT32_MIN);
  for (std::size_t i = 0; i < all.size(); ++i) {
    least[row_of(i)] = std::min(least[row_of(i)], all[i]);
    greatest[row_of(i)] = std::max(greatest[row_of(i)], all[i]);
  }
  std::vector<std::int32_t> zeros;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int64_t low = least[row], high = greatest[row];
    const std::int64_t zero = low < -128 || high > 127 ? -128 - low : 0;
    if (high - low > 255 || zero != static_cast<std::int32_t>(zero)) return std::nullopt;
    zeros.push_back(static_cast<std::int32_t>(zero));
  }
  MutableTensor bytes(DatumType::i8, shape);
  const auto out = bytes.as<std::int8_t>();
  for (std::size_t i = 0; i < all.size(); ++i)
    out[i] = static_cast<std::int8_t>(std::int64_t{all[i]} + zeros[row_of(i)]);
  return ByteWeights{std::move(bytes).freeze(), std::move(zeros)};
}

/// Whether what stretches to `to` is one number, or one for each index of `axis`.
bool goes_along(const Shape& from, const Shape& to, std::size_t axis) {
  const std::int64_t count = volume(Span(from));
  const std::size_t behind = to.size() - axis;
  return count == 1 || (count == to[axis] && behind <= from.size() && from.end()[-behind] == count);
}

}  // namespace

std::optional<CentredBytes> centred_bytes(const TypedModel& model, OutletId wire) {
  if (const auto bytes = widened_bytes(model, wire)) return CentredBytes{*bytes};
  const TypedNode& node = maker(model, wire);
  const Binary* difference = node.op.as<Binary>();
  if (!difference || difference->op != BinaryOp::sub) return std::nullopt;
  const auto bytes = widened_bytes(model, node.inputs[0]);
  if (!bytes || !surely_equal(model.fact(wire).shape, model.fact(*bytes).shape))
    return std::nullopt;
  return CentredBytes{*bytes, node.inputs[1]};
}

bool holds_bytes(const TypedModel& model, OutletId wire, DatumType type) {
  if (const auto bytes = widened_bytes(model, wire)) return model.fact(*bytes).dtype == type;
  const Tensor* constant = model.fact(wire).constant();
  if (!constant) return false;
  const std::int32_t least = type == DatumType::u8 ? 0 : -128;
  const auto numbers = constant->as<std::int32_t>();
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](std::int32_t x) { return x >= least && x <= least + 255; });
}

std::optional<ByteWeights> byte_weights(const TypedModel& model, OutletId wire, std::size_t axis) {
  if (const Tensor* numbers = model.fact(wire).constant()) return narrowed(*numbers, axis);
  const auto centred = centred_bytes(model, wire);
  const Tensor* bytes = centred ? model.fact(centred->bytes).constant() : nullptr;
  if (!bytes) return std::nullopt;
  if (centred->zero.is_absent()) return ByteWeights{*bytes};
  const Tensor* zeros = model.fact(centred->zero).constant();
  if (!zeros || !goes_along(zeros->shape(), bytes->shape(), axis)) return std::nullopt;
  const auto all = zeros->as<std::int32_t>();
  return ByteWeights{*bytes, {all.begin(), all.end()}};
}

AttrValue to_attr(const SumConversion& conversion) {
  return std::vector<std::int64_t>{static_cast<std::int64_t>(conversion.to),
                                   static_cast<std::int64_t>(conversion.bytes), conversion.zero,
                                   conversion.least, conversion.greatest};
}

void from_attr(const AttrValue& value, SumConversion& conversion) {
  const auto& numbers = attr_as<std::vector<std::int64_t>>(value, "conversion of sums");
  check(numbers.size() == 5, "a conversion of sums has ", numbers.size(), " numbers");
  conversion = {static_cast<DatumType>(numbers[0]), static_cast<ByteConversion>(numbers[1]),
                numbers[2], numbers[3], numbers[4]};
}

kernels::SumFinish finish_of(const SumConversion& conversion, std::span<const TensorView> operands,
                             Span out, OutputAxes axes) {
  kernels::SumFinish finish;
  const auto floats = [&](std::size_t i) { return stretched<float>(operands[i], out, axes); };
  const auto doubles = [&](std::size_t i) { return stretched<double>(operands[i], out, axes); };
  finish.zero = static_cast<std::int32_t>(conversion.zero);
  finish.low = static_cast<std::int32_t>(conversion.least);
  finish.high = static_cast<std::int32_t>(conversion.greatest);
  if (conversion.to == DatumType::i32) return finish;
  if (conversion.to == DatumType::f32) {
    finish.output = kernels::SumOutput::floats;
    finish.scale = floats(0);
    if (operands.size() > 1) finish.bias = floats(1);
  } else if (conversion.bytes == ByteConversion::requantise) {
    finish.output = kernels::SumOutput::bytes;
    finish.factor = doubles(0);
    finish.offset = doubles(1);
  } else {
    finish.output = kernels::SumOutput::quantised;
    finish.scale = floats(0);
    finish.divisor = floats(1);
    if (operands.size() > 2) finish.bias = floats(2);
  }
  return finish;
}

Rewrite in_floats(const NodeView& node, TypedOp op) {
  Patch patch(node);
  OutletIds inputs = node.inputs();
  inputs[0] = patch.wire_one("wide", Cast{DatumType::f32}, {inputs[0]});
  const OutletId y = patch.wire_one("", std::move(op), inputs);
  const DatumType type = node.output_fact().dtype;
  patch.shunt(node.output(), patch.wire_one("narrow", Cast{type}, {y}));
  return patch;
}

}  // namespace strata
