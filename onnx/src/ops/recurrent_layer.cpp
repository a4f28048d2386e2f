#include "ops/recurrent_layer.h"

#include <algorithm>

namespace strata::onnx {
namespace {

using hir::NamedGateFunction;
using hir::SequenceDirection;
using hir::SequenceLayout;

SequenceDirection parse_direction(NodeArgs& node) {
  const std::string text = node.text("direction", "forward");
  if (text == "forward") return SequenceDirection::forward;
  if (text == "reverse") return SequenceDirection::reverse;
  check(text == "bidirectional", "direction ", in_quotes(text),
        " is none of forward, reverse, bidirectional");
  return SequenceDirection::bidirectional;
}

const NamedGateFunction& named_function(const std::string& name) {
  const NamedGateFunction* found = hir::find_gate_function(name);
  check(found != nullptr, "activation ", in_quotes(name), " is unknown");
  return *found;
}

/// Sets a parameter of the functions. The list has a value for each function, or one for each that
/// has the parameter; those it is too short for keep their default.
void set_parameter(std::vector<NamedGateFunction>& functions, const std::vector<float>& values,
                   int number, float hir::GateFunction::*field) {
  const bool one_each = values.size() == functions.size();
  std::size_t next = 0;
  for (NamedGateFunction& named : functions) {
    const bool has_it = named.parameters >= number;
    if (has_it && next < values.size()) named.function.*field = values[next];
    next += one_each || has_it;
  }
  check(next >= values.size(), values.size(), " activation parameters given, ", next, " used");
}

}  // namespace

hir::RecurrentLayer parse_recurrent(NodeArgs& node,
                                    std::initializer_list<hir::GateFunctionKind> functions) {
  hir::RecurrentLayer out;
  out.direction = parse_direction(node);
  // Whether Y is wanted, until version 7; a node that does not want it leaves it out.
  if (node.version() < 7) node.ignore("output_sequence");
  if (node.version() >= 14 && node.flag("layout", false)) out.layout = SequenceLayout::batch_first;
  out.hidden_size = node.integer("hidden_size");
  check(!out.hidden_size || *out.hidden_size > 0, "hidden_size is ", out.hidden_size.value_or(0));
  if (const auto clip = node.number("clip")) out.clip = static_cast<float>(*clip);
  check(!out.clip || *out.clip > 0, "clip is ", out.clip.value_or(0));

  std::vector<NamedGateFunction> named;
  const std::size_t wanted = functions.size() * out.directions();
  if (const auto names = node.texts("activations"); names && !names->empty()) {
    check(names->size() == wanted, names->size(), " activations given, ", wanted, " wanted");
    for (const std::string& name : *names) named.push_back(named_function(name));
  }
  while (named.size() < wanted)
    for (const hir::GateFunctionKind kind : functions) named.push_back({{}, {kind}});
  set_parameter(named, node.numbers("activation_alpha").value_or(std::vector<float>()), 1,
                &hir::GateFunction::alpha);
  set_parameter(named, node.numbers("activation_beta").value_or(std::vector<float>()), 2,
                &hir::GateFunction::beta);
  for (const NamedGateFunction& function : named) out.functions.push_back(function.function);
  return out;
}

}  // namespace strata::onnx
