#include "strata/core/ops/random.h"

#include "ops/movement.h"
#include "ops/operand_kinds.h"
#include "ops/random_numbers.h"

namespace strata {
namespace {

class RandomState final : public OpState {
 public:
  explicit RandomState(const Random& op) : op_(op), stream_(op.seed) {}

  ValueList eval(RunContext&, Values in) override {
    const Shape shape = to_integers(in[0].tensor());
    for (const std::int64_t dim : shape) check_data(dim >= 0, "(C1) the shape is ", Span(shape));
    stream_.part_from_forks();
    MutableTensor out(DatumType::f64, shape);
    for (double& x : out.as<double>()) {
      const double drawn =
          op_.distribution == RandomDistribution::normal ? stream_.normal() : stream_.uniform();
      x = op_.location + op_.scale * drawn;
    }
    return {cast(std::move(out).freeze(), op_.dtype)};
  }

 private:
  Random op_;
  RandomStream stream_;
};

}  // namespace

FactList Random::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(may_be_integer_vector(in[0]), "(C1) the shape is ", in[0]);
  check(is_float(dtype), "(C2) ", dtype, " is no float");
  if (const auto dims = in[0].dims()) {
    for (const Dim& dim : *dims)
      check(dim.constant().value_or(0) >= 0, "(C1) the shape is ", *dims);
    return {Fact::tensor(dtype, *dims)};
  }
  const auto rank = known_length(in[0]);
  return {
      Fact::tensor(dtype, rank ? fresh_shape(static_cast<std::size_t>(*rank)) : ShapeFact::open())};
}

std::unique_ptr<OpState> Random::state(StateContext&) const {
  return std::make_unique<RandomState>(*this);
}

}  // namespace strata
