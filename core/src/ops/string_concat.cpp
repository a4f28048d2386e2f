#include "strata/core/ops/string_concat.h"

#include "strata/core/ops/support.h"

namespace strata {

FactList StringConcat::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  for (std::size_t i = 0; i < 2; ++i)
    check(in[i].dtype == DatumType::string, "(C1) operand ", i, " is ", in[i].dtype);
  try {
    return {Fact::tensor(DatumType::string, broadcast(in[0].shape, in[1].shape))};
  } catch (const Error& error) {
    fail(error.kind(), "(C2) ", error.message());
  }
}

TensorList StringConcat::eval(Tensors in) const {
  const auto left = in[0].as<std::string>(), right = in[1].as<std::string>();
  MutableTensor out(DatumType::string, broadcast(in[0].shape(), in[1].shape()));
  std::string* to = out.as<std::string>().data();
  for_each_broadcast(
      out.shape(), in[0].shape(), in[1].shape(), [&](std::int64_t a, std::int64_t b) {
        *to++ = left[static_cast<std::size_t>(a)] + right[static_cast<std::size_t>(b)];
      });
  return {std::move(out).freeze()};
}

}  // namespace strata
