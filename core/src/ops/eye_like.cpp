#include "strata/core/ops/eye_like.h"

#include <cstring>

#include "ops/operand_kinds.h"
#include "strata/core/ops/support.h"

namespace strata {

FactList EyeLike::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  const ShapeFact& shape = in[0].shape;
  check(may_have_rank(shape, 2), "(C1) shape ", shape, " is no matrix");
  check(is_integer(dtype) || is_float(dtype) || dtype == DatumType::boolean, "(C2) ", dtype,
        " is no number");
  return {Fact::tensor(dtype, shape.is_open() ? fresh_shape(2) : shape)};
}

TensorList EyeLike::eval(Tensors in) const {
  check_data(in[0].rank() == 2, "(C1) shape ", Span(in[0].shape()), " is no matrix");
  const std::int64_t height = in[0].shape()[0], width = in[0].shape()[1];
  // Bits of a packed type are written by the cast.
  MutableTensor out =
      MutableTensor::zeros(is_packed(dtype) ? DatumType::u8 : dtype, {height, width});
  const Tensor one = cast(Tensor::of<std::uint8_t>({}, {1}), out.dtype());
  const auto step = static_cast<std::int64_t>(bit_width(out.dtype()) / 8);
  for (std::int64_t row = 0; row < height; ++row) {
    std::int64_t column = 0;
    if (!__builtin_add_overflow(row, k, &column) && column >= 0 && column < width)
      std::memcpy(out.data() + (row * width + column) * step, one.data(),
                  static_cast<std::size_t>(step));
  }
  return {cast(std::move(out).freeze(), dtype)};
}

}  // namespace strata
