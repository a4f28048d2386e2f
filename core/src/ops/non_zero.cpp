#include "strata/core/ops/non_zero.h"

#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Where the elements that are not zero, or empty strings, lie.
std::vector<std::int64_t> offsets_of_non_zeros(const Tensor& data) {
  std::vector<std::int64_t> out;
  const auto note = [&](std::int64_t at, bool holds) {
    if (holds) out.push_back(at);
  };
  if (data.dtype() == DatumType::string) {
    const auto texts = data.as<std::string>();
    for (std::int64_t i = 0; i < data.size(); ++i)
      note(i, !texts[static_cast<std::size_t>(i)].empty());
  } else {
    const Tensor holds = cast(data, DatumType::boolean);
    for (std::int64_t i = 0; i < data.size(); ++i)
      note(i, holds.as<bool>()[static_cast<std::size_t>(i)]);
  }
  return out;
}

}  // namespace

FactList NonZero::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(in[0].is_tensor(), "(C1) NonZero reads a ", in[0].type(), ", which is no tensor");
  const Dim rank = in[0].shape.is_open() ? fresh_dim() : Dim(in[0].shape.rank());
  return {Fact::tensor(DatumType::i64, {{rank, fresh_dim()}})};
}

TensorList NonZero::eval(Tensors in) const {
  const Shape strides = row_major_strides(in[0].shape());
  const auto offsets = offsets_of_non_zeros(in[0]);
  MutableTensor out(DatumType::i64, {static_cast<std::int64_t>(strides.size()),
                                     static_cast<std::int64_t>(offsets.size())});
  std::int64_t* to = out.as<std::int64_t>().data();
  for (std::size_t axis = 0; axis < strides.size(); ++axis)
    for (const std::int64_t offset : offsets) *to++ = offset / strides[axis] % in[0].shape()[axis];
  return {std::move(out).freeze()};
}

}  // namespace strata
