#include "strata/core/ops/cumulate.h"

#include "ops/lanes.h"
#include "ops/movement.h"
#include "ops/number_view.h"
#include "strata/core/only_number.h"

namespace strata {
namespace {

/// The type sums and products are kept in: floats in double, integers modulo 2^64.
template <class Wide>
using Total = std::conditional_t<std::is_integral_v<Wide>, std::uint64_t, double>;

template <class Wide>
void cumulate(const MutableNumberView<Wide>& out, const NumberView<Wide>& data, const Lanes& lanes,
              const Cumulate& op) {
  const std::size_t length = lanes.steps.size();
  for (std::size_t i = 0; i < lanes.starts.size(); ++i) {
    Total<Wide> total = op.op == Cumulation::sum ? 0 : 1;
    for (std::size_t n = 0; n < length; ++n) {
      const std::size_t at = lanes.at(i, op.reverse ? length - 1 - n : n);
      if (op.exclusive) out.set(at, static_cast<Wide>(total));
      const auto x = static_cast<Total<Wide>>(data[at]);
      total = op.op == Cumulation::sum ? total + x : total * x;
      if (!op.exclusive) out.set(at, static_cast<Wide>(total));
    }
  }
}

}  // namespace

FactList Cumulate::output_facts(Facts in) const {
  const auto called = [&] { return display_name(); };
  check(in.size() == 2, "(C1) ", called, " takes 2 inputs, ", in.size(), " given");
  const NumberKind kind = kind_of(in[0].dtype);
  check(kind == NumberKind::real || kind == NumberKind::whole || kind == NumberKind::natural,
        "(C2) ", called, " is not defined on ", in[0].dtype);
  check(is_integer(in[1].dtype), "(C3) the axis is ", in[1].dtype, ", no integer");
  const auto shape = in[1].shape.concrete();
  check(!shape || product(*shape) == 1, "(C3) an axis of shape ", in[1].shape,
        " is not one integer");
  const auto axis = only_integer(in[1]);
  if (axis && in[0].shape.is_known()) (void)normalized_axis(*axis, in[0].shape.rank());
  return {Fact::tensor(in[0].dtype, in[0].shape)};
}

TensorList Cumulate::eval(Tensors in) const {
  const Tensor& data = in[0];
  const Shape axis = to_integers(in[1]);
  check_data(axis.size() == 1, "(C3) an axis of shape ", Span(in[1].shape()),
             " is not one integer");
  const std::size_t at = axis_of_data(axis[0], data.rank());
  const Lanes lanes = lanes_along(data.shape(), only_axis(at, data.rank()));
  MutableTensor out(data.dtype(), data.shape());
  visit_wide(data.dtype(), [&]<class Wide>(TypeTag<Wide>) {
    cumulate(MutableNumberView<Wide>(out), NumberView<Wide>(data), lanes, *this);
  });
  return {std::move(out).freeze()};
}

}  // namespace strata
