#include "as_read.h"

#include "dims.h"

namespace strata::opl {
namespace {

bool loses_size(DimsView known, DimsView read) {
  for (std::size_t axis = 0; axis < known.size(); ++axis)
    if (has_fresh_symbol(read[axis]) && !has_fresh_symbol(known[axis])) return true;
  return false;
}

/// Whether less is known of a wire once it is read: a rank, a size or a value that was found from
/// an output.
bool loses(const Fact& known, const Fact& read) {
  if (!known.is_tensor() || !read.is_tensor()) return false;
  if (known.value && !read.value) return true;
  if (known.shape.is_open()) return false;
  return read.shape.is_open() || loses_size(known.shape.dims(), read.shape.dims());
}

}  // namespace

TypedModel as_read(const TypedModel& model) {
  TypedModel out = model;
  SymbolScope symbols = model.symbols();
  for (const std::uint32_t id : out.order()) {
    const TypedNode& node = out.node(id);
    if (node.op.as<Source>() || node.op.as<Const>()) continue;
    const FactList read = infer_facts(node.op, out.facts_of(node.inputs), symbols);
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      if (loses(node.outputs[slot].fact, read[slot])) out.set_fact({id, slot}, read[slot]);
  }
  return out;
}

}  // namespace strata::opl
