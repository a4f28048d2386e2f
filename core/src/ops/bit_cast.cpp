#include "strata/core/ops/bit_cast.h"

#include <algorithm>

#include "strata/core/ops/support.h"

namespace strata {

FactList BitCast::output_facts(Facts in) const {
  check_arity("(C1) BitCast", in, 1, 1);
  check(bit_width(to) != 0 && bit_width(to) == bit_width(in[0].dtype), "(C2) the bits of ",
        in[0].dtype, " are not those of ", to);
  return {Fact::tensor(to, in[0].shape)};
}

TensorList BitCast::eval(Tensors in) const {
  if (to != DatumType::boolean) return {in[0].reinterpreted(to)};
  // A bool must hold 0 or 1, whatever the byte was.
  MutableTensor out(DatumType::boolean, in[0].shape());
  std::ranges::transform(in[0].storage_as<std::uint8_t>(), out.as<bool>().begin(),
                         [](std::uint8_t b) { return b != 0; });
  return {std::move(out).freeze()};
}

}  // namespace strata
