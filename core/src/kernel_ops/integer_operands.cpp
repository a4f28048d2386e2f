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
  // Along what lies closer together, so that large weights are read once through.
  const auto for_each = [&](const auto& visit) {
    const bool by_rows = from.column_step <= from.row_step;
    const std::int64_t outer = by_rows ? from.rows : from.columns,
                       inner = by_rows ? from.columns : from.rows;
    for (std::int64_t a = 0; a < outer; ++a)
      for (std::int64_t b = 0; b < inner; ++b) {
        const std::int64_t row = by_rows ? a : b, column = by_rows ? b : a;
        visit(static_cast<std::size_t>(row),
              static_cast<std::size_t>(row * from.row_step + column * from.column_step));
      }
  };
  if (from.columns == 0) return std::nullopt;
  const auto rows = static_cast<std::size_t>(from.rows);
  std::vector<std::int32_t> least(rows, INT32_MAX), greatest(rows, INT32_MIN);
  for_each([&](std::size_t row, std::size_t at) {
    least[row] = std::min(least[row], from.numbers[at]);
    greatest[row] = std::max(greatest[row], from.numbers[at]);
  });
  StoredRows out{std::vector<std::int16_t>(from.numbers.size()), {}};
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int64_t low = least[row], high = greatest[row];
    if (high - low > 255) return std::nullopt;
    std::int64_t zero = range.usual_zero;
    if (low + zero < range.least || high + zero > range.least + 255) zero = range.least - low;
    if (zero != static_cast<std::int32_t>(zero)) return std::nullopt;
    out.zeros.push_back(static_cast<std::int32_t>(zero));
  }
  for_each([&](std::size_t row, std::size_t at) {
    out.bytes[at] = static_cast<std::int16_t>(std::int64_t{from.numbers[at]} + out.zeros[row]);
  });
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
