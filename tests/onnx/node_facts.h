#pragma once

#include <algorithm>
#include <sstream>

#include "model_text.h"

/// What analysis learns of one node from what is known of its inputs and outputs.
namespace strata::testing {

/// The sizes of `[2,?,N]`, given without its brackets.
inline hir::PartialShape sizes_of_text(const std::string& text) {
  hir::PartialShape shape;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part == "?")
      shape.emplace_back();
    else
      shape.emplace_back(std::isdigit(part[0]) ? Dim(std::stoll(part)) : Dim::symbol(part));
  }
  return shape;
}

/// A fact as it is shown: `f32[2,?,N]`, `i64[..]`, `?[3]`, `?`, `sequence(f32[..])`, `optional(?)`.
inline hir::InferenceFact fact_of_text(const std::string& text) {
  if (text == "?") return {};
  if (text.back() == ')') {
    const auto bracket = text.find('(');
    hir::InferenceFact fact;
    fact.kind = text[0] == 's' ? ValueType::Kind::sequence : ValueType::Kind::optional;
    fact.element = std::make_shared<const hir::InferenceFact>(
        fact_of_text(text.substr(bracket + 1, text.size() - bracket - 2)));
    return fact;
  }
  const auto bracket = text.find('[');
  const std::string type = text.substr(0, bracket);
  const std::string sizes = text.substr(bracket + 1, text.size() - bracket - 2);
  const auto dtype = type == "?" ? std::nullopt : parse_datum_type(type);
  if (sizes == "..") return hir::InferenceFact::tensor(dtype, std::nullopt);
  return hir::InferenceFact::tensor(dtype, sizes_of_text(sizes));
}

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> out;
  for (std::string word; stream >> word;) out.push_back(word);
  return out;
}

/// One input or output of a node: a fact; `{1,2}`, a constant i64 vector; `<i64[3]|f32[3]>`, a map,
/// which is its keys and its values; or `-`, an input that is left out.
struct Word {
  enum class Kind { fact, constant, map, absent } kind;
  std::vector<std::string> facts;  ///< none of a constant

  explicit Word(const std::string& text) : kind(kind_of(text)) {
    const auto bar = text.find('|');
    if (kind == Kind::fact) facts = {text};
    if (kind == Kind::map)
      facts = {text.substr(1, bar - 1), text.substr(bar + 1, text.size() - bar - 2)};
  }
  static Kind kind_of(const std::string& text) {
    return text[0] == '{'   ? Kind::constant
           : text[0] == '<' ? Kind::map
           : text == "-"    ? Kind::absent
                            : Kind::fact;
  }
};

/// `in in -> out`: inputs and outputs of one node.
struct Side {
  std::vector<std::string> inputs, outputs;
  explicit Side(const std::string& text) {
    const auto arrow = text.find("->");
    inputs = words_of(text.substr(0, arrow));
    outputs = words_of(text.substr(arrow + 2));
  }
};

/// The facts of these words, one after the other.
inline std::vector<std::string> facts_of(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& text : words)
    for (const std::string& fact : Word(text).facts) out.push_back(fact);
  return out;
}

/// The graph `g` of one node, in ONNX's text syntax.
inline std::string graph_of_node(const std::string& op, const Side& side) {
  std::string inputs, outputs, arguments, constants, declared;
  const auto add = [](std::string& list, const std::string& item) {
    list += cat(list.empty() ? "" : ", ", item);
  };
  for (std::size_t i = 0; i < side.inputs.size(); ++i) {
    const std::string &text = side.inputs[i], name = cat("x", i);
    const Word::Kind kind = Word::kind_of(text);
    arguments += cat(i ? ", " : "", kind == Word::Kind::absent ? "" : name);
    if (kind == Word::Kind::constant)
      add(constants,
          cat("int64[", std::count(text.begin(), text.end(), ',') + 1, "] ", name, " = ", text));
    else if (kind != Word::Kind::absent)
      add(inputs, cat("float ", name));
  }
  for (std::size_t i = 0; i < side.outputs.size(); ++i) {
    add(outputs, cat("y", i));
    add(declared, cat("float y", i));
  }
  return cat("g (", inputs, ") => (", declared, ") ",
             constants.empty() ? "" : cat("<", constants, ">"), " { ", outputs, " = ", op, "(",
             arguments, ") }");
}

/// A model of the node `op`, written as in ONNX's text syntax without its inputs and outputs, or as
/// `Upsample@9` to have another opset than the newest.
inline hir::InferenceModel model_of_node(std::string op, const Side& side) {
  std::string opset = "26";
  if (const auto at = op.find('@'); at < op.find('<')) {
    const auto end = std::min(op.find('<'), op.size());
    opset = op.substr(at + 1, end - at - 1);
    op.erase(at, end - at);
  }
  auto proto = model_of(cat("<ir_version: 10, opset_import: [\"\" : ", opset,
                            ", \"ai.onnx.ml\" : 5, \"ai.onnx.preview\" : 1, "
                            "\"ai.onnx.preview.training\" : 1, \"com.microsoft\" : 1]> ",
                            graph_of_node(op, side)));
  int next = 0;
  for (const std::string& text : side.inputs) {
    const Word::Kind kind = Word::kind_of(text);
    if (kind == Word::Kind::constant || kind == Word::Kind::absent) continue;
    auto& input = *proto.mutable_graph()->mutable_input(next++);
    input.clear_type();
    if (kind != Word::Kind::map) continue;
    auto& map = *input.mutable_type()->mutable_map_type();
    map.set_key_type(::onnx::TensorProto::INT64);
    map.mutable_value_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
  }
  for (auto& output : *proto.mutable_graph()->mutable_output()) output.clear_type();
  auto model = load_proto(proto);
  const auto inputs = facts_of(side.inputs), outputs = facts_of(side.outputs);
  REQUIRE(inputs.size() == model.inputs().size());
  REQUIRE(outputs.size() == model.outputs().size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    model.set_fact(model.inputs()[i], fact_of_text(inputs[i]));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i] != "?") model.set_fact(model.outputs()[i].outlet, fact_of_text(outputs[i]));
  return model;
}

/// The facts of the model's inputs and outputs, written as `side` is.
inline std::string shown(const hir::InferenceModel& model, const Side& side) {
  std::vector<std::string> inputs, outputs;
  for (const OutletId input : model.inputs()) inputs.push_back(model.fact(input).to_string());
  for (const GraphOutput& output : model.outputs())
    outputs.push_back(model.fact(output.outlet).to_string());
  const auto written = [](const std::vector<std::string>& words, std::vector<std::string> facts) {
    std::string out;
    auto fact = facts.begin();
    for (const std::string& text : words) {
      const Word::Kind kind = Word::kind_of(text);
      if (kind == Word::Kind::map)
        out += cat('<', fact[0], '|', fact[1], "> ");
      else
        out += cat(kind == Word::Kind::fact ? *fact : text, ' ');
      fact += static_cast<std::ptrdiff_t>(Word(text).facts.size());
    }
    return out;
  };
  std::string out = cat(written(side.inputs, inputs), "-> ", written(side.outputs, outputs));
  out.pop_back();
  return out;
}

struct FactCase {
  std::string op, before, after;
};

/// Analyses each node; `after` is what is known then.
inline void check_facts(const std::vector<FactCase>& cases) {
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
