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

}  // namespace

std::optional<CentredBytes> centred_bytes(const TypedModel& model, OutletId wire) {
  if (const auto bytes = widened_bytes(model, wire)) return CentredBytes{*bytes};
  const TypedNode& node = maker(model, wire);
  const Binary* difference = node.op.as<Binary>();
  if (!difference || difference->op != BinaryOp::sub) return std::nullopt;
  const auto bytes = widened_bytes(model, node.inputs[0]);
  if (!bytes || model.fact(wire).shape != model.fact(*bytes).shape) return std::nullopt;
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

std::optional<StoredRows> stored_rows(const NumberRows& from, const ByteRange& range) {
  StoredRows out;
  out.bytes.reserve(from.numbers.size());
  for (std::int64_t i = 0; i < from.rows; ++i) {
    const auto at = [&](std::int64_t j) -> std::int64_t {
      return from.numbers[static_cast<std::size_t>(i * from.row_step + j * from.column_step)];
    };
    std::int64_t least = at(0), greatest = at(0);
    for (std::int64_t j = 1; j < from.columns; ++j) {
      least = std::min(least, at(j));
      greatest = std::max(greatest, at(j));
    }
    if (greatest - least > 255) return std::nullopt;
    std::int64_t zero = range.usual_zero;
    if (least + zero < range.least || greatest + zero > range.least + 255)
      zero = range.least - least;
    if (zero != static_cast<std::int32_t>(zero)) return std::nullopt;
    for (std::int64_t j = 0; j < from.columns; ++j)
      out.bytes.push_back(static_cast<std::int16_t>(at(j) + zero));
    out.zeros.push_back(static_cast<std::int32_t>(zero));
  }
  return out;
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

}  // namespace strata
