#include <doctest/doctest.h>

#include "strata/hir/inference_model.h"
#include "strata/hir/ops/concat.h"

using namespace strata;
using namespace strata::hir;

namespace {

InferenceFact f32(std::optional<PartialShape> shape) {
  return InferenceFact::tensor(DatumType::f32, std::move(shape));
}
const std::optional<Dim> kUnknown;

/// out = Concat(a, b) along axis 0.
struct Joined {
  InferenceModel model;
  OutletId a, b, out;
  Joined(InferenceFact fact_a, InferenceFact fact_b, InferenceFact fact_out = {}) {
    a = model.add_source("a", std::move(fact_a));
    b = model.add_source("b", std::move(fact_b));
    out = {model.add_node("joined", hir::Concat{0}, {a, b}, {std::move(fact_out)}), 0};
    model.add_output("out", out);
  }
  std::string shown(OutletId wire) const { return model.fact(wire).to_string(); }
};

}  // namespace

TEST_SUITE("analyse") {
  TEST_CASE("sizes flow forward") {
    Joined joined(f32(PartialShape{Dim(2), Dim(3)}), f32(PartialShape{Dim::symbol("N"), Dim(3)}));
    joined.model.analyse();
    CHECK(joined.shown(joined.out) == "f32[N+2,3]");
  }

  TEST_CASE("types, ranks and sizes flow backward and sideways") {
    Joined joined(f32(PartialShape{Dim(2), kUnknown}), {}, f32(PartialShape{kUnknown, Dim(3)}));
    joined.model.analyse();
    CHECK(joined.shown(joined.a) == "f32[2,3]");
    CHECK(joined.shown(joined.b) == "f32[?,3]");
  }

  TEST_CASE("what only the run can tell stays unknown") {
    Joined joined(f32(std::nullopt), f32(std::nullopt));
    joined.model.analyse();
    CHECK(joined.shown(joined.out) == "f32[..]");
  }

  TEST_CASE("an op must give all outputs, or as many as are wanted, of a copy too") {
    Joined joined(f32(PartialShape{Dim(2)}), f32(PartialShape{Dim(3)}));
    const OutletIds inputs{joined.a, joined.b};
    const std::uint32_t two =
        joined.model.add_node("two", hir::Concat{0}, inputs, std::vector<InferenceFact>(2));
    CHECK(joined.model.wanted_outputs(two) == 2);
    CHECK_THROWS_WITH_AS(joined.model.analyse(),
                         doctest::Contains("the node has 2 outputs, the op 1"), Error);
    joined.model.set_wanted_outputs(two, 1);
    InferenceModel copy = joined.model;
    CHECK(copy.wanted_outputs(two) == 1);
    copy.analyse();
    CHECK(copy.fact({two, 0}).to_string() == "f32[5]");
  }

  TEST_CASE("a contradiction names the node, the rule and both sides") {
    Joined joined(f32(PartialShape{Dim(2), Dim(3)}), f32(PartialShape{Dim(2), Dim(4)}));
    joined.model.set_place(
        joined.out.node,
        {std::make_shared<const hir::Origin>(hir::Origin{"Concat", "ONNX Concat, opset 13"}), 7});
    try {
      joined.model.analyse();
      FAIL("no error");
    } catch (const Error& error) {
      const std::string text = error.what();
      CHECK(error.kind() == ErrorKind::invalid_model);
      CHECK(text.find("size 3 is not 4") != std::string::npos);
      CHECK(text.find("outputs[0].shape[1] == inputs[1].shape[1]") != std::string::npos);
      CHECK(text.find("in Concat \"joined\" (node 7, ONNX Concat, opset 13)") != std::string::npos);
    }
  }

  TEST_CASE("analysing twice changes nothing") {
    Joined joined(f32(PartialShape{Dim(2), kUnknown}), {}, f32(PartialShape{kUnknown, Dim(3)}));
    joined.model.analyse();
    const std::string once = joined.shown(joined.out);
    joined.model.analyse();
    CHECK(joined.shown(joined.out) == once);
  }

  TEST_CASE("to_typed gives unknown sizes fresh symbols") {
    Joined joined(f32(PartialShape{kUnknown, Dim(3)}), f32(PartialShape{Dim(2), Dim(3)}));
    joined.model.analyse();
    CHECK(joined.model.to_typed().output_fact(0).to_string() == "f32[u0+2,3]");
  }
}
