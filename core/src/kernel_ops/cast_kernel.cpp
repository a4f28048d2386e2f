#include "kernel_ops/cast_kernel.h"

#include "kernel_ops/movement.h"
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
      y[i] = static_cast<To>(x[i]);
  }
}

using Converter = void (*)(const std::byte* from, std::byte* to, std::int64_t n);

template <class From>
Converter converter_from(DatumType to) {
  switch (to) {
    case DatumType::boolean:
      return convert<From, bool>;
    case DatumType::u8:
      return convert<From, std::uint8_t>;
    case DatumType::i32:
      return convert<From, std::int32_t>;
    case DatumType::i64:
      return convert<From, std::int64_t>;
    case DatumType::f32:
      return convert<From, float>;
    case DatumType::f64:
      return convert<From, double>;
    default:
      return nullptr;
  }
}

/// A loop made for two common types; null for others.
Converter converter(DatumType from, DatumType to) {
  switch (from) {
    case DatumType::boolean:
    case DatumType::u8:
      return converter_from<std::uint8_t>(to);
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

}  // namespace

void CastKernel::run(const KernelIo& io) const {
  const TensorView& from = io.inputs[0];
  if (const Converter convert = converter(from.dtype, to))
    convert(from.data, io.outputs[0].data, volume(from.shape));
  else
    cast_numbers(from, io.outputs[0], {overflow, rounding});
}

/// Cast between numbers that are not packed -> CastKernel
Rewrite lower_cast(const NodeView& node, const Target&) {
  const Cast* cast = node.op().as<Cast>();
  if (!cast || !moves_bytes(node)) return no_change;
  return replace(node, CastKernel{cast->to, cast->overflow, cast->rounding}, node.inputs());
}

}  // namespace strata
