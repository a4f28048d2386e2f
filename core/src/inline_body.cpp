#include "inline_body.h"

#include <algorithm>

#include "node_facts.h"

namespace strata {
namespace {

/// Whether the outputs have no fresh symbols, which may stand for a different size in each copy.
bool has_fixed_sizes(const TypedNode& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [](const auto& outlet) {
    return outlet.fact.is_tensor() && outlet.fact.shape.concrete();
  });
}

/// Adds a node with the facts it has in the body; a model infers them itself. Returns its first
/// output.
OutletId add_copy(Patch& target, std::string_view name, const TypedNode& node,
                  const OutletIds& inputs) {
  return target.wire_as(name, node.op, inputs, facts_of(node))[0];
}
OutletId add_copy(TypedModel& target, std::string_view name, const TypedNode& node,
                  const OutletIds& inputs) {
  return target.wire(name, node.op, inputs)[0];
}

}  // namespace

template <class Target>
OutletIds BodyInliner::copy_into(Target& target, const OutletIds& inputs,
                                 const std::string& prefix) {
  std::vector<OutletId> copies = constants_;  // the first output of each, which the others follow
  const auto copy_of = [&](OutletId wire) {
    return OutletId{copies[wire.node].node, copies[wire.node].slot + wire.slot};
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) copies[body_.inputs()[i].node] = inputs[i];
  for (const std::uint32_t id : order_) {
    const TypedNode& node = body_.node(id);
    if (node.op.as<Source>() || !constants_[id].is_absent()) continue;
    if (node.op.as<Const>()) {
      copies[id] = constants_[id] = add_copy(target, node.name, node, {});
      continue;
    }
    OutletIds in;
    bool keeps_facts = has_fixed_sizes(node);
    for (const OutletId input : node.inputs) {
      in.push_back(copy_of(input));
      keeps_facts = keeps_facts && target.fact_of(in.back()).is_same(body_.fact(input));
    }
    const std::string name = cat(prefix, '.', node.name);
    copies[id] = keeps_facts ? add_copy(target, name, node, in) : target.wire(name, node.op, in)[0];
  }
  OutletIds out;
  for (const GraphOutput& output : body_.outputs()) out.push_back(copy_of(output.outlet));
  return out;
}

OutletIds BodyInliner::inline_into(Patch& target, const OutletIds& inputs,
                                   const std::string& prefix) {
  return copy_into(target, inputs, prefix);
}

OutletIds BodyInliner::inline_into(TypedModel& target, const OutletIds& inputs,
                                   const std::string& prefix) {
  return copy_into(target, inputs, prefix);
}

}  // namespace strata
