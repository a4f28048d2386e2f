#include "strata/core/ops/if.h"

#include <algorithm>
#include <cstring>

#include "ops/body_facts.h"
#include "ops/body_state.h"
#include "runner.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Runs the chosen body: in the memory given when both bodies are frames, else on values.
class IfState final : public BodyState {
 public:
  IfState(std::shared_ptr<const Plan> then_plan, std::shared_ptr<const Plan> else_plan)
      : bodies_{Runner(std::move(else_plan)), Runner(std::move(then_plan))} {}

  ValueList eval(RunContext& context, Values in) override {
    const Tensor& condition = in[0].tensor();
    check_data(condition.size() == 1, "(C1) the condition has ", condition.size(), " elements");
    return bodies_[condition.as<bool>()[0]].run(context, in.subspan(1));
  }

  std::optional<std::size_t> bind(std::span<const TensorView> in,
                                  std::span<const MutableTensorView> out) override {
    if (product(in[0].shape) != 1) return std::nullopt;
    std::vector<Shape> shapes;
    for (const TensorView& captured : in.subspan(1)) shapes.push_back(captured.shape);
    for (Runner& body : bodies_)
      if (!body.frame().bind(shapes) || !gives(body.frame(), out)) return std::nullopt;
    return std::max(bodies_[0].frame().bytes(), bodies_[1].frame().bytes());
  }

  void run(RunContext& context, const KernelIo& io) override {
    Frame& frame = bodies_[*io.inputs[0].as<bool>()].frame();
    if (frame.memory() != io.scratch) frame.place(io.scratch);
    for (std::size_t i = 1; i < io.inputs.size(); ++i) frame.set_input(i - 1, io.inputs[i].data);
    const auto outputs = frame.outputs();
    for (std::size_t i = outputs.size(); i-- > 0;)  // the first of equal outputs has the last word
      if (outputs[i].kind == Frame::Output::Kind::result)
        frame.set_result(outputs[i].index, io.outputs[i].data);
    frame.run(context);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::byte* from = frame.output_data(i);
      if (from != io.outputs[i].data && outputs[i].bytes > 0)
        std::memcpy(io.outputs[i].data, from, outputs[i].bytes);
    }
  }

  void release_memory() override {
    for (Runner& body : bodies_) body.release_memory();
  }

 private:
  static bool gives(const Frame& frame, std::span<const MutableTensorView> out) {
    return std::equal(out.begin(), out.end(), frame.outputs().begin(), frame.outputs().end(),
                      [](const MutableTensorView& wanted, const Frame::Output& output) {
                        return wanted.dtype == output.dtype && wanted.shape == output.shape;
                      });
  }

  Runner bodies_[2];  ///< else, then
};

}  // namespace

FactList If::output_facts(Facts in) const {
  check(in.size() >= 1 && in[0].is_tensor() && in[0].dtype == DatumType::boolean,
        "(C1) If has no bool condition");
  check(then_body && else_body, "(C2) If lacks a body");
  for (const Body& body : {then_body, else_body}) {
    check(body->inputs().size() == in.size() - 1, "(C2) a body takes ",
          counted(body->inputs().size(), "value"), ", ", in.size() - 1, " are captured");
    for (std::size_t i = 1; i < in.size(); ++i) check_given("(C2)", *body, i - 1, in[i]);
  }
  check(then_body->outputs().size() == else_body->outputs().size(), "(C3) the bodies have ",
        then_body->outputs().size(), " and ", counted(else_body->outputs().size(), "output"));
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
