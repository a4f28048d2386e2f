#include "strata/core/ops/if.h"

#include <algorithm>

#include "ops/body_facts.h"
#include "strata/core/session.h"

namespace strata {
namespace {

struct IfState final : OpState {
  IfState(std::shared_ptr<const Plan> then_plan, std::shared_ptr<const Plan> else_plan)
      : plans{std::move(else_plan), std::move(then_plan)} {}

  ValueList eval(RunContext& context, Values in) override {
    const Tensor& condition = in[0].tensor();
    check_data(condition.size() == 1, "(C1) the condition has ", condition.size(), " elements");
    const bool chosen = condition.as<bool>()[0];
    if (!sessions[chosen]) sessions[chosen].emplace(plans[chosen]);
    return sessions[chosen]->run(context, in.subspan(1));
  }

  std::shared_ptr<const Plan> plans[2];  ///< else, then
  std::optional<Session> sessions[2];    ///< made when first needed
};

}  // namespace

FactList If::output_facts(Facts in) const {
  check(in.size() >= 1 && in[0].is_tensor() && in[0].dtype == DatumType::boolean,
        "(C1) If has no bool condition");
  for (const Body& body : {then_body, else_body})
    check(body->inputs().size() == in.size() - 1, "(C2) a body takes ", body->inputs().size(),
          " values, ", in.size() - 1, " are captured");
  check(then_body->outputs().size() == else_body->outputs().size(), "(C3) the bodies have ",
        then_body->outputs().size(), " and ", else_body->outputs().size(), " outputs");
  FactList out;
  for (std::size_t i = 0; i < then_body->outputs().size(); ++i) {
    const Fact a = outer_view(then_body->output_fact(i), in),
               b = outer_view(else_body->output_fact(i), in);
    check(a.type() == b.type(), "(C4) output ", i, " is ", a.type(), " in one body and ", b.type(),
          " in the other");
    out.push_back(join(a, b));
  }
  return out;
}

std::unique_ptr<OpState> If::state(StateContext& context) const {
  return std::make_unique<IfState>(context.plan_of(*then_body), context.plan_of(*else_body));
}

Cost If::cost(Facts, Facts) const {
  const Cost a = then_body->cost(), b = else_body->cost();
  return a.flops > b.flops ? a : b;
}

}  // namespace strata
