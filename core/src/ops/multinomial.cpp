#include "strata/core/ops/multinomial.h"

#include <algorithm>
#include <cmath>

#include "ops/operand_kinds.h"
#include "ops/random_numbers.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Running sums of the probabilities of a row of logits, up to a common factor.
std::vector<double> cumulated(const Tensor& logits, std::int64_t row) {
  const std::int64_t classes = logits.shape()[1];
  double greatest = -INFINITY, sum = 0;
  for (std::int64_t i = 0; i < classes; ++i)
    greatest = std::max(greatest, number_at(logits, row * classes + i));
  std::vector<double> out;
  for (std::int64_t i = 0; i < classes; ++i)
    out.push_back(sum += std::exp(number_at(logits, row * classes + i) - greatest));
  check_data(!out.empty() && std::isfinite(sum), "(C1) the logits of row ", row,
             " are no probabilities");
  return out;
}

class MultinomialState final : public OpState {
 public:
  explicit MultinomialState(const Multinomial& op) : op_(op), stream_(op.seed) {}

  ValueList eval(RunContext&, Values in) override {
    const Tensor& logits = in[0].tensor();
    check_data(logits.rank() == 2, "(C1) logits of shape ", Span(logits.shape()), " are no matrix");
    MutableTensor out(DatumType::i64, {logits.shape()[0], op_.samples});
    stream_.part_from_forks();
    std::int64_t* to = out.as<std::int64_t>().data();
    for (std::int64_t row = 0; row < logits.shape()[0]; ++row) {
      const auto sums = cumulated(logits, row);
      for (std::int64_t n = 0; n < op_.samples; ++n)
        *to++ = std::upper_bound(sums.begin(), sums.end() - 1, stream_.uniform() * sums.back()) -
                sums.begin();
    }
    return {cast(std::move(out).freeze(), op_.dtype)};
  }

 private:
  Multinomial op_;
  RandomStream stream_;
};

}  // namespace

FactList Multinomial::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  const ShapeFact& shape = in[0].shape;
  check(is_float(in[0].dtype) && may_have_rank(shape, 2), "(C1) the logits are ", in[0]);
  check(samples >= 1, "(C2) ", samples, " samples are wanted");
  check(dtype == DatumType::i32 || dtype == DatumType::i64, "(C3) dtype is ", dtype);
  return {Fact::tensor(dtype, {{shape.is_open() ? fresh_dim() : shape[0], samples}})};
}

std::unique_ptr<OpState> Multinomial::state(StateContext&) const {
  return std::make_unique<MultinomialState>(*this);
}

}  // namespace strata
