#pragma once

#include <algorithm>
#include <sstream>

#include "model_text.h"

/// What analysis learns of one node from what is known of its inputs and outputs.
namespace strata::testing {

/// A fact as it is shown: `f32[2,?,N]`, `i64[..]`, `?[3]`, `?`.
inline hir::InferenceFact fact_of_text(const std::string& text) {
  if (text == "?") return {};
  const auto bracket = text.find('[');
  const std::string type = text.substr(0, bracket);
  std::string sizes = text.substr(bracket + 1, text.size() - bracket - 2);
  const auto dtype = type == "?" ? std::nullopt : parse_datum_type(type);
  if (sizes == "..") return hir::InferenceFact::tensor(dtype, std::nullopt);
  hir::PartialShape shape;
  std::istringstream parts(sizes);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part == "?")
      shape.emplace_back();
    else
      shape.emplace_back(std::isdigit(part[0]) ? Dim(std::stoll(part)) : Dim::symbol(part));
  }
  return hir::InferenceFact::tensor(dtype, std::move(shape));
}

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> out;
  for (std::string word; stream >> word;) out.push_back(word);
  return out;
}

/// `in in -> out`: inputs and outputs of one node.
struct Side {
  std::vector<std::string> inputs, outputs;
  explicit Side(const std::string& text) {
    const auto arrow = text.find("->");
    inputs = words_of(text.substr(0, arrow));
    outputs = words_of(text.substr(arrow + 2));
  }
};

/// A model of the node `op`, written as in ONNX's text syntax without its inputs and outputs. An
/// input is a fact, `{1,2}`, a constant i64 vector, or `-`, one that is left out.
inline hir::InferenceModel model_of_node(const std::string& op, const Side& side) {
  std::string inputs, outputs, arguments, constants;
  for (std::size_t i = 0; i < side.inputs.size(); ++i) {
    const std::string &each = side.inputs[i], name = cat("x", i);
    arguments += cat(i ? ", " : "", each == "-" ? "" : name);
    if (each[0] == '{') {
      const auto count = std::count(each.begin(), each.end(), ',') + 1;
      constants += cat(constants.empty() ? "" : ", ", "int64[", count, "] ", name, " = ", each);
    } else if (each != "-") {
      inputs += cat(inputs.empty() ? "" : ", ", "float ", name);
    }
  }
  for (std::size_t i = 0; i < side.outputs.size(); ++i) outputs += cat(i ? ", " : "", "y", i);
  auto proto =
      model_of(cat("<ir_version: 10, opset_import: [\"\" : 26, \"ai.onnx.ml\" : 5, "
                   "\"ai.onnx.preview.training\" : 1]> g (",
                   inputs, ") => (float y0) ", constants.empty() ? "" : cat("<", constants, ">"),
                   " { ", outputs, " = ", op, "(", arguments, ") }"));
  for (auto& input : *proto.mutable_graph()->mutable_input()) input.clear_type();
  proto.mutable_graph()->mutable_output(0)->clear_type();
  auto model = load_proto(proto);
  std::size_t next = 0;
  for (const std::string& each : side.inputs)
    if (each != "-" && each[0] != '{') model.set_fact(model.inputs()[next++], fact_of_text(each));
  const std::uint32_t node = model.outputs()[0].outlet.node;
  for (std::uint32_t i = 0; i < side.outputs.size(); ++i)
    model.set_fact({node, i}, fact_of_text(side.outputs[i]));
  return model;
}

/// The facts of the model's one node, written as `side` is.
inline std::string shown(const hir::InferenceModel& model, const Side& side) {
  const auto& node = model.node(model.outputs()[0].outlet.node);
  std::string out;
  for (std::size_t i = 0; i < side.inputs.size(); ++i) {
    const bool is_given = side.inputs[i] == "-" || side.inputs[i][0] == '{';
    out += (is_given ? side.inputs[i] : model.fact(node.inputs[i]).to_string()) + ' ';
  }
  out += "->";
  for (const auto& output : node.outputs) out += ' ' + output.fact.to_string();
  return out;
}

struct FactCase {
  std::string op, before, after;
};

/// Analyses each node; `after` is what is known then.
inline void check_facts(std::initializer_list<FactCase> cases) {
  for (const FactCase& each : cases) {
    CAPTURE(each.op);
    CAPTURE(each.before);
    const Side side(each.before);
    auto model = model_of_node(each.op, side);
    model.analyse();
    CHECK(shown(model, side) == each.after);
  }
}

}  // namespace strata::testing
