#include "strata/core/named_values.h"

#include <doctest/doctest.h>

#include "strata/core/ops/binary.h"
#include "strata/core/session.h"

using namespace strata;

namespace {

/// minuend, subtrahend -> difference, minuend itself
TypedModel difference() {
  TypedModel model;
  const Fact number = Fact::tensor(DatumType::f32, Shape{});
  const OutletId a = model.add_source("minuend", number),
                 b = model.add_source("subtrahend", number);
  model.add_output("difference", model.wire_one("sub", Binary{BinaryOp::sub}, {a, b}));
  model.add_output("whole", a);
  return model;
}

/// The message of the Error of kind invalid_argument that `call` throws.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::invalid_argument);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("values by name are put into the order of the inputs, and outputs are found by theirs") {
  const auto plan = Plan::build(difference());
  const NamedValue named[] = {{"subtrahend", Tensor::scalar(2.0f)},
                              {"minuend", Tensor::scalar(7.0f)}};
  const ValueList outputs = Session(plan).run(inputs_by_name(plan->model(), named));
  CHECK(outputs[output_by_name(plan->model(), "difference")].tensor().item<float>() == 5);
  CHECK(outputs[output_by_name(plan->model(), "whole")].tensor().item<float>() == 7);
}

TEST_CASE("names that are unknown, missing or given twice are refused") {
  const TypedModel model = difference();
  const NamedValue one{"minuend", Tensor::scalar(1.0f)}, other{"subtrahend", Tensor::scalar(1.0f)},
      unknown{"minued", Tensor::scalar(1.0f)};
  const auto refused = [&](std::initializer_list<NamedValue> values) {
    return refusal([&] { (void)inputs_by_name(model, values); });
  };
  CHECK(refused({one, unknown}) ==
        "no input is named \"minued\", nearest is \"minuend\"; there are: \"minuend\", "
        "\"subtrahend\"");
  CHECK(refused({one}) == "no value for input \"subtrahend\"");
  CHECK(refused({one, other, one}) == "two values for input \"minuend\"");
  CHECK(refusal([&] { (void)output_by_name(model, "minuend"); }) ==
        "no output is named \"minuend\"; there are: \"difference\", \"whole\"");
  CHECK(refusal([&] { (void)output_by_name(TypedModel(), "y"); }) ==
        "no output is named \"y\"; there are: none");
}
