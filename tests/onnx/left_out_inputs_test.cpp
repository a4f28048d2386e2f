#include "model_text.h"
#include "strata/onnx/registry.h"

namespace strata::testing {
namespace {

constexpr int kMostInputs = 5;

/// A model of one node without attributes, which has `count` inputs, of which `hole` is left out.
::onnx::ModelProto model_with_hole(const std::string& domain, const std::string& op, int count,
                                   int hole) {
  ::onnx::ModelProto model = model_of(
      "<ir_version: 9, opset_import: [\"\" : 20, \"ai.onnx.ml\" : 4, \"com.microsoft\" : 1]>"
      "g (float[2, 4, 4, 4] x) => (y) { y = Identity(x) }");
  ::onnx::NodeProto& node = *model.mutable_graph()->mutable_node(0);
  node.set_domain(domain);
  node.set_op_type(op);
  node.clear_input();
  for (int i = 0; i < count; ++i) node.add_input(i == hole ? "" : "x");
  return model;
}

}  // namespace

TEST_CASE("an input that an op cannot do without") {
  struct Row {
    const char* op;
    int count, hole;
  };
  const Row rows[] = {
      {"Relu", 1, 0}, {"MatMul", 2, 1}, {"Slice", 3, 2}, {"BatchNormalization", 5, 4}};
  for (const Row& row : rows) {
    const Error error = error_of_model(model_with_hole("", row.op, row.count, row.hole));
    CHECK(error.kind() == ErrorKind::invalid_model);
    CHECK(error.message() == cat("input ", row.hole, " of ", row.op, " is left out"));
  }
}

TEST_CASE("an input that is left out is an error, or has a default") {
  for (const auto& entry : onnx::registry().entries())
    for (int count = 1; count <= kMostInputs; ++count)
      for (int hole = 0; hole < count; ++hole) {
        const auto& key = entry.first;
        INFO(key.first, '.', key.second, ": ", count, " inputs, without ", hole);
        try {
          hir::InferenceModel model = load_proto(
              model_with_hole(std::string(key.first), std::string(key.second), count, hole));
          model.analyse();
          (void)model.to_typed();
        } catch (const Error& error) {
          INFO(error.what());
          CHECK(error.kind() != ErrorKind::internal);
        }
      }
}

}  // namespace strata::testing
