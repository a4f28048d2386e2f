#include "strata/core/ops/softmax.h"

#include <cmath>
#include <numeric>

#include "ops/lanes.h"
#include "ops/number_view.h"

namespace strata {
namespace {

using Lane = std::span<double>;

/// exp(x - max), which does not overflow, and its sum.
void softmax(Lane lane, double top) {
  for (double& x : lane) x = std::exp(x - top);
  const double total = std::accumulate(lane.begin(), lane.end(), 0.0);
  for (double& x : lane) x /= total;
}

void log_softmax(Lane lane, double top) {
  double total = 0;
  for (const double x : lane) total += std::exp(x - top);
  for (double& x : lane) x = x - top - std::log(total);
}

void hardmax(Lane lane, double top) {
  const auto first = std::find(lane.begin(), lane.end(), top);
  for (auto at = lane.begin(); at != lane.end(); ++at) *at = at == first ? 1 : 0;
}

struct Row {
  SoftmaxKind op;
  void (*apply)(Lane lane, double top);
};

constexpr Row kRows[] = {{SoftmaxKind::softmax, softmax},
                         {SoftmaxKind::log_softmax, log_softmax},
                         {SoftmaxKind::hardmax, hardmax}};

}  // namespace

std::string Softmax::display_name() const { return title_case(name_of(op)); }

FactList Softmax::output_facts(Facts in) const {
  const auto called = [&] { return display_name(); };
  check(in.size() == 1, "(C1) ", called, " takes 1 input, ", in.size(), " given");
  check(is_float(in[0].dtype) && !is_packed(in[0].dtype), "(C2) ", called, " is not defined on ",
        in[0].dtype);
  if (in[0].shape.is_known()) (void)marked_axes(axes, in[0].shape.rank());
  return {Fact::tensor(in[0].dtype, in[0].shape)};
}

TensorList Softmax::eval(Tensors in) const {
  const Tensor& x = in[0];
  const Lanes lanes = lanes_along(x.shape(), marked_axes(axes, x.rank()));
  const std::size_t length = lanes.steps.size();
  MutableTensor out(x.dtype(), x.shape());
  std::vector<double> lane(length);
  const NumberView<double> from(x);
  const MutableNumberView<double> to(out);
  for (std::size_t i = 0; length > 0 && i < lanes.starts.size(); ++i) {
    for (std::size_t k = 0; k < length; ++k) lane[k] = from[lanes.at(i, k)];
    row_of(kRows, op).apply(lane, *std::max_element(lane.begin(), lane.end()));
    for (std::size_t k = 0; k < length; ++k) to.set(lanes.at(i, k), lane[k]);
  }
  return {std::move(out).freeze()};
}

}  // namespace strata
