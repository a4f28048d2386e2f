#include "strata/core/ops/dropout.h"

#include "ops/number_view.h"
#include "ops/random_numbers.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Which elements stay when each goes with probability `ratio`.
Tensor random_mask(const Shape& shape, double ratio, std::int64_t seed) {
  MutableTensor mask(DatumType::boolean, shape);
  RandomStream random(static_cast<double>(seed));
  std::ranges::generate(mask.as<bool>(), [&] { return random.uniform() >= ratio; });
  return std::move(mask).freeze();
}

bool is_one_element(const Fact& fact) {
  const auto shape = fact.shape.concrete();
  return !shape || product(*shape) == 1;
}

}  // namespace

FactList Dropout::output_facts(Facts in) const {
  check_arity("(C1) Dropout", in, 3, 3);
  check(is_float(in[0].dtype) && is_float(in[1].dtype) && in[2].dtype == DatumType::boolean,
        "(C2) Dropout of ", in[0].dtype, " by ", in[1].dtype, ", training given as ", in[2].dtype);
  check(is_one_element(in[1]) && is_one_element(in[2]), "(C3) a ratio of shape ", in[1].shape,
        ", training of shape ", in[2].shape);
  return {Fact::tensor(in[0].dtype, in[0].shape), Fact::tensor(DatumType::boolean, in[0].shape)};
}

TensorList Dropout::eval(Tensors in) const {
  check_data(in[1].size() == 1 && in[2].size() == 1, "(C3) a ratio of shape ", Span(in[1].shape()),
             ", training of shape ", Span(in[2].shape()));
  const double ratio = in[2].item<bool>() ? number_at(in[1], 0) : 0;
  check_data(ratio >= 0 && ratio < 1, "(C4) a ratio of ", ratio, " is outside [0, 1)");
  const Tensor mask = random_mask(in[0].shape(), ratio, seed);
  if (ratio == 0) return {in[0], mask};
  MutableTensor out(in[0].dtype(), in[0].shape());
  const NumberView<double> x(in[0]);
  const MutableNumberView<double> to(out);
  const auto stays = mask.as<bool>();
  for (std::size_t i = 0; i < stays.size(); ++i) to.set(i, stays[i] ? x[i] / (1 - ratio) : 0);
  return {std::move(out).freeze(), mask};
}

/// Dropout(x, ratio, false).0 -> x, Dropout(x, 0, t).0 -> x
Rewrite Dropout::declutter(const NodeView& node) const {
  const Tensor *ratio = node.input_fact(1).constant(), *training = node.input_fact(2).constant();
  const bool passes = (training && training->size() == 1 && !training->item<bool>()) ||
                      (ratio && ratio->size() == 1 && number_at(*ratio, 0) == 0);
  const OutletId y = node.output(0);
  if (!passes || (node.model.successors(y).empty() && !node.model.is_output(y))) return no_change;
  Patch patch(node);
  patch.shunt(y, node.input(0));
  return patch;
}

}  // namespace strata
