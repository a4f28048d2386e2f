#include <doctest/doctest.h>

#include "strata/core/error.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/opl/model.h"
#include "support/op_case.h"

namespace strata::opl {
namespace {

/// x - margin where that is positive, else 0: an op that is none of core's.
struct HingeLoss {
  static constexpr std::string_view name = "HingeLoss";
  float margin = 1;
  static constexpr auto attributes() { return std::tuple{attr("margin", &HingeLoss::margin)}; }
  FactList output_facts(Facts in) const { return {in[0].without_value()}; }
  TensorList eval(Tensors in) const {
    MutableTensor out = MutableTensor::copy_of(in[0]);
    for (float& x : out.as<float>()) x = std::max(x - margin, 0.0F);
    return {std::move(out).freeze()};
  }
};
static_assert(OpDef<HingeLoss>);

constexpr OpEntry kOwn[] = {op_entry<HingeLoss>()};

TypedModel hinge(float margin) {
  TypedModel model;
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{3}));
  model.add_output("y", model.wire_one("y", HingeLoss{margin}, {x}));
  return model;
}

}  // namespace

TEST_CASE("an op of one's own is written, read and run") {
  const TypedModel model = hinge(0.5F);
  const std::string text = to_text(model, kOwn);
  CHECK(text.find("extension strata_registry own;") != text.npos);
  CHECK(text.find("y = own_hinge_loss(x, margin = 0.5);") != text.npos);
  TypedModel read = from_text(text, {}, kOwn);
  CHECK(to_text(read, kOwn) == text);
  declutter(read);
  optimise(read);
  const Tensor x = Tensor::of<float>({3}, {0, 1, 2});
  tests::check_close(run_model(read, ValueList{x})[0], Tensor::of<float>({3}, {0, 0.5F, 1.5F}));
  CHECK(to_text(from_text(to_text(hinge(1), kOwn), {}, kOwn), kOwn).find("own_hinge_loss(x)") !=
        text.npos);  // the default is left out
}

TEST_CASE("without its entry an op of one's own is refused by name") {
  CHECK_THROWS_WITH_AS(to_text(hinge(1)), doctest::Contains("op HingeLoss is not portable"), Error);
  const std::string text = to_text(hinge(1), kOwn);
  CHECK_THROWS_WITH_AS(from_text(text), doctest::Contains("ops that are none of Strata's"), Error);
  std::string other = text;
  other.replace(other.find("own_hinge_loss"), 14, "own_hinge_lost");
  CHECK_THROWS_WITH_AS(from_text(other, {}, kOwn),
                       doctest::Contains("no fragment is named \"own_hinge_lost\""), Error);
}

}  // namespace strata::opl
