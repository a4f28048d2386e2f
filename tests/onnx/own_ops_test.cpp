#include "model_text.h"
#include "strata/onnx/load_plan.h"
#include "strata/onnx/registry.h"

namespace strata::testing {
namespace {

/// x multiplied by a factor: an op that is none of core's.
struct Scaled {
  static constexpr std::string_view name = "Scaled";
  float factor = 1;
  static constexpr auto attributes() { return std::tuple{attr("factor", &Scaled::factor)}; }
  FactList output_facts(Facts in) const { return {in[0].without_value()}; }
  TensorList eval(Tensors in) const {
    MutableTensor out = MutableTensor::copy_of(in[0]);
    for (float& x : out.as<float>()) x *= factor;
    return {std::move(out).freeze()};
  }
};
static_assert(OpDef<Scaled>);

hir::InferenceOp parse_scaled(onnx::NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Direct{Scaled{static_cast<float>(node.number("factor", node.version()))}};
}

onnx::Registry own_ops() {
  onnx::Registry out;
  out.add_to("org.example", "Scaled", {1, 3}, parse_scaled);
  out.add("Tanh", {1}, parse_scaled);
  return out;
}

std::vector<float> run(const std::string& node, int version) {
  const auto proto =
      model_of(cat("<ir_version: 9, opset_import: [\"\" : 17, \"org.example\" : ", version,
                   "]> g (float[2] x) => (float[2] y) { ", node, " }"));
  const onnx::Registry own = own_ops();
  const std::string bytes = proto.SerializeAsString();
  Session session(onnx::load_plan(std::as_bytes(std::span(bytes)), {}, {}, &own));
  const Tensor y = session.run(ValueList{Tensor::of<float>({2}, {1, -2})})[0].tensor();
  return {y.as<float>().begin(), y.as<float>().end()};
}

}  // namespace

TEST_CASE("an op of one's own is loaded and run, by its version") {
  CHECK(run("y = org.example.Scaled<factor = 0.5>(x)", 1) == std::vector<float>{0.5F, -1});
  CHECK(run("y = org.example.Scaled(x)", 2) == std::vector<float>{1, -2});
  CHECK(run("y = org.example.Scaled(x)", 4) == std::vector<float>{3, -6});
}

TEST_CASE("an op of one's own comes before that of the build") {
  CHECK(run("y = Tanh<factor = 2.0>(x)", 1) == std::vector<float>{2, -4});
}

TEST_CASE("what is wrong with an op of one's own is told as of any other") {
  CHECK_THROWS_WITH_AS(run("y = org.example.Scaled<scale = 2.0>(x)", 1), doctest::Contains("scale"),
                       Error);
  CHECK_THROWS_WITH_AS(run("y = org.example.Scald(x)", 1),
                       doctest::Contains("op \"Scald\" of domain \"org.example\" is not supported"),
                       Error);
}

}  // namespace strata::testing
