#include "kernel_ops/cast_kernel.h"

#include <bit>

#include "kernel_ops/integer_types.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/narrow_floats.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/non_zero.h"
#include "tensor_cast.h"

namespace strata {
namespace {

template <class From, class To>
void convert(const std::byte* from, std::byte* to, std::int64_t n) {
  const From* x = reinterpret_cast<const From*>(from);
  To* y = reinterpret_cast<To*>(to);
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<To, bool>)
      y[i] = x[i] != 0;
    else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
      y[i] = truncated<To>(static_cast<double>(x[i]));
    else
      y[i] = static_cast<To>(x[i]);  // NOLINT(bugprone-signed-char-misuse): numbers, not characters
  }
}

using Converter = void (*)(const std::byte* from, std::byte* to, std::int64_t n);

/// f32 becomes integers by the table, and f64 becomes bytes by way of it.
template <class From>
Converter converter_from(DatumType to) {
  if (to == DatumType::boolean) return convert<From, bool>;
  if (to == DatumType::f32) return convert<From, float>;
  if (to == DatumType::f64) return convert<From, double>;
  if constexpr (std::is_integral_v<From>) {
    if (to == DatumType::u8) return convert<From, std::uint8_t>;
    if (to == DatumType::i8) return convert<From, std::int8_t>;
  }
  if constexpr (!std::is_same_v<From, float>) {
    if (to == DatumType::i32) return convert<From, std::int32_t>;
    if (to == DatumType::i64) return convert<From, std::int64_t>;
  }
  return nullptr;
}

/// A loop made for two common types; null for others.
Converter converter(DatumType from, DatumType to) {
  switch (from) {
    case DatumType::boolean:
    case DatumType::u8:
      return converter_from<std::uint8_t>(to);
    case DatumType::i8:
      return converter_from<std::int8_t>(to);
    case DatumType::i32:
      return converter_from<std::int32_t>(to);
    case DatumType::i64:
      return converter_from<std::int64_t>(to);
    case DatumType::f32:
      return converter_from<float>(to);
    case DatumType::f64:
      return converter_from<double>(to);
    default:
      return nullptr;
  }
}

/// The integers that the table makes of floats.
std::optional<kernels::IntegerType> truncated_type(DatumType to) {
  return is_16_bits(to) ? std::nullopt : integer_type(to);
}

/// Whether the table has a function for these types.
bool has_vectors(DatumType from, DatumType to) {
  return from == DatumType::f32 ? narrow_float(to) || truncated_type(to)
                                : (narrow_float(from) || is_16_bits(from)) && to == DatumType::f32;
}

/// Whether there is something faster than `cast_numbers` for these types; then it is done.
bool convert_fast(const kernels::KernelTable& table, const TensorView& from,
                  const MutableTensorView& to, std::int64_t n) {
  if (from.dtype == DatumType::f32) {
    if (const auto narrow = narrow_float(to.dtype))
      return table.narrow_floats(*narrow, from.as<float>(), to.as<std::uint16_t>(), n), true;
    if (const auto integer = truncated_type(to.dtype))
      return table.truncate_floats(*integer, from.as<float>(), to.data, n), true;
  }
  if (const auto narrow = narrow_float(from.dtype); narrow && to.dtype == DatumType::f32)
    return table.widen_floats(*narrow, from.as<std::uint16_t>(), to.as<float>(), n), true;
  if (is_16_bits(from.dtype) && to.dtype == DatumType::f32) {
    constexpr float one = 1;
    const kernels::Quantization plain{.type = *integer_type(from.dtype), .n = n, .scale = &one};
    return table.dequantize(plain, from.data, to.as<float>()), true;
  }
  const Converter convert = converter(from.dtype, to.dtype);
  if (convert) convert(from.data, to.data, n);
  return convert != nullptr;
}

/// Cut to the bits of f32, of which the last one is set where others were lost: so a narrower type,
/// which has two bits less, gets what rounding once would give, and bytes what is cut once. Not of
/// numbers that f32 holds as subnormal ones, which lose more.
void cut_to_odd(const double* x, float* y, std::int64_t n) {
  constexpr std::uint64_t kLost = (std::uint64_t{1} << 29) - 1;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(x[i]);
    const std::uint64_t odd = (bits & kLost) + kLost;
    y[i] = static_cast<float>(std::bit_cast<double>((bits | odd) & ~kLost));
  }
}

/// Whether the way by f32, one conversion before the other, rounds no number twice: f32 holds all
/// narrow floats and the integers of 8 and 16 bits, and those that it does not hold are beyond f16.
/// What is subnormal in f32 is 0 in f16.
bool goes_by_floats(DatumType from, DatumType to) {
  if (is_16_bits(from) && is_8_bits(to)) return false;  // beyond its ends a number loses bits
  if (narrow_float(from) || is_16_bits(from))
    return has_vectors(DatumType::f32, to) || converter(DatumType::f32, to);
  if (from == DatumType::f64) return to == DatumType::f16 || is_8_bits(to);
  const bool is_held = bit_width(from) <= 8 || (to == DatumType::f16 && !is_float(from));
  return narrow_float(to) && is_held && converter(from, DatumType::f32);
}

/// The elements from `first` on.
template <class View>
View from_element(View view, std::int64_t first) {
  view.data += first * width_of(view.dtype);
  return view;
}

void convert_by_floats(const kernels::KernelTable& table, const TensorView& from,
                       const MutableTensorView& to, std::int64_t n) {
  constexpr std::int64_t kPart = 1024;  // stays in a first cache
  alignas(64) float floats[kPart];
  auto* const bytes = reinterpret_cast<std::byte*>(floats);
  for (std::int64_t i = 0; i < n; i += kPart) {
    const std::int64_t part = std::min(kPart, n - i);
    if (from.dtype == DatumType::f64)
      cut_to_odd(from.as<double>() + i, floats, part);
    else
      convert_fast(table, from_element(from, i), {bytes, DatumType::f32, {}}, part);
    convert_fast(table, {bytes, DatumType::f32, {}}, from_element(to, i), part);
  }
}

}  // namespace

void CastKernel::run(const KernelIo& io) const {
  const std::int64_t size = volume(io.inputs[0].shape);
  const kernels::KernelTable& table = kernels::kernels(isa);
  share_range(io, work_on(2 * size, 1), size, kElementStep, [&](kernels::Range part) {
    const std::int64_t n = part.end - part.begin;
    TensorView from = from_element(io.inputs[0], part.begin);
    MutableTensorView out = from_element(io.outputs[0], part.begin);
    if (convert_fast(table, from, out, n)) return;
    if (goes_by_floats(from.dtype, to)) return convert_by_floats(table, from, out, n);
    from.shape = out.shape = Shape{n};
    cast_numbers(from, out, {overflow, rounding});
  });
}

std::string CastKernel::explain(Facts in, Facts) const {
  const DatumType from = in[0].dtype;
  if (has_vectors(from, to)) return explain_vectors("conversion", isa);
  if (goes_by_floats(from, to)) return explain_vectors("conversion by way of f32", isa);
  return converter(from, to) ? "conversion, by a loop for these types"
                             : "conversion, number by number";
}

/// Cast between numbers that are not packed -> CastKernel
Rewrite lower_cast(const NodeView& node, const Target& target) {
  const Cast* cast = node.op().as<Cast>();
  if (!cast || !moves_bytes(node)) return no_change;
  return replace(node, CastKernel{cast->to, cast->overflow, cast->rounding, target.isa},
                 node.inputs());
}

/// NonZero(x) of numbers -> NonZero(Cast(x)), which has a kernel
Rewrite find_marks(const NodeView& node, const Target&) {
  const DatumType type = node.input_fact(0).dtype;
  if (!node.op().as<NonZero>() || type == DatumType::boolean || !moves_bytes(node))
    return no_change;
  Patch patch(node);
  const OutletId marks = patch.wire_one("marks", Cast{DatumType::boolean}, {node.input(0)});
  patch.shunt(node.output(), patch.wire_as("", NonZero{}, {marks}, {node.output_fact()})[0]);
  return patch;
}

}  // namespace strata
