#include "strata/core/ops/lrn.h"

#include <algorithm>
#include <cmath>

#include "ops/lanes.h"
#include "ops/number_view.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// What the element at `channel` is divided by.
double divisor(std::span<const double> lane, std::int64_t channel, const Lrn& op) {
  const auto channels = static_cast<std::int64_t>(lane.size());
  const std::int64_t first = std::max<std::int64_t>(0, channel - (op.size - 1) / 2);
  const std::int64_t last = std::min(channels - 1, channel + op.size / 2);
  double squares = 0;
  for (std::int64_t c = first; c <= last; ++c)
    squares += lane[static_cast<std::size_t>(c)] * lane[static_cast<std::size_t>(c)];
  return std::pow(op.bias + op.alpha / static_cast<double>(op.size) * squares, op.beta);
}

}  // namespace

FactList Lrn::output_facts(Facts in) const {
  check_arity("(C1) Lrn", in, 1, 1);
  check(is_float(in[0].dtype) && !is_packed(in[0].dtype), "(C2) Lrn is not defined on ",
        in[0].dtype);
  check(in[0].shape.is_open() || in[0].shape.rank() >= 2, "(C3) shape ", in[0].shape,
        " has no channel axis");
  check(size >= 1, "(C4) a size of ", size, " is below 1");
  return {Fact::tensor(in[0].dtype, in[0].shape)};
}

TensorList Lrn::eval(Tensors in) const {
  const Tensor& x = in[0];
  check_data(x.rank() >= 2, "(C3) shape ", Span(x.shape()), " has no channel axis");
  const Lanes lanes = lanes_along(x.shape(), only_axis(1, x.rank()));
  MutableTensor out(x.dtype(), x.shape());
  std::vector<double> lane(lanes.steps.size());
  const NumberView<double> from(x);
  const MutableNumberView<double> to(out);
  for (std::size_t i = 0; i < lanes.starts.size(); ++i) {
    for (std::size_t c = 0; c < lane.size(); ++c) lane[c] = from[lanes.at(i, c)];
    for (std::size_t c = 0; c < lane.size(); ++c)
      to.set(lanes.at(i, c), lane[c] / divisor(lane, static_cast<std::int64_t>(c), *this));
  }
  return {std::move(out).freeze()};
}

}  // namespace strata
