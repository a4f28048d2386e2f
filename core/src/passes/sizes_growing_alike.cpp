#include <algorithm>

#include "passes/infer_again.h"
#include "passes/loop_edit.h"
#include "passes/passes.h"

namespace strata {
namespace {

/// A size of a carried value that is a symbol in the body.
struct CarriedSize {
  Dim symbol;
  Dim first;
  Dim next;

  Dim growth() const { return next - symbol; }
  /// Whether both are equal in every iteration.
  bool is_like(const CarriedSize& other) const {
    return first == other.first && (next == other.next || growth() == other.growth());
  }
};

/// Two symbols for sizes that are equal in every iteration.
struct Alike {
  Dim kept, gone;
};

std::vector<Alike> find_alike(const LoopEdit& edit, const Loop& loop) {
  std::vector<Alike> out;
  std::vector<CarriedSize> sizes;
  const std::vector<std::size_t> carried = loop.carried();
  for (std::size_t k = 0; k < carried.size(); ++k) {
    const ShapeFact& shape = edit.body().fact(edit.source(carried[k])).shape;
    const ShapeFact& first = edit.outer_fact(carried[k]).shape;
    const ShapeFact& next = edit.body().fact(edit.next(k)).shape;
    if (shape.is_open() || first.is_open() || next.is_open() || shape.rank() != first.rank() ||
        shape.rank() != next.rank())
      continue;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if (!shape[axis].as_symbol()) continue;
      const CarriedSize size{shape[axis], first[axis], next[axis]};
      if (std::ranges::find(sizes, size.symbol, &CarriedSize::symbol) != sizes.end()) continue;
      for (const CarriedSize& known : sizes)
        if (known.is_like(size)) out.push_back({known.symbol, size.symbol});
      sizes.push_back(size);
    }
  }
  return out;
}

/// Whether the symbol occurs in some size or known value of the body.
bool has(const TypedModel& body, const Dim& symbol) {
  const auto is_of = [&](const Dim& dim) {
    return dim.any_symbol([&](const std::string& name) { return name == *symbol.as_symbol(); });
  };
  for (const TypedNode& node : body.nodes()) {
    if (node.erased) continue;
    for (const auto& outlet : node.outputs) {
      const Fact& fact = outlet.fact;
      const std::vector<Dim> numbers = fact.dims().value_or(std::vector<Dim>());
      if (std::ranges::any_of(numbers, is_of) || (fact.length && is_of(*fact.length))) return true;
      if (fact.shape.is_known() && std::ranges::any_of(fact.shape.dims(), is_of)) return true;
    }
  }
  return false;
}

/// The loop without the symbol that is to go; nothing where more than sizes of the body's inputs are
/// made of it.
Rewrite unified(LoopEdit edit, const Alike& alike) {
  TypedModel& body = edit.changed_body();
  OutletIds changed;
  for (const OutletId source : body.inputs()) {
    Fact fact = body.fact(source);
    if (fact.shape.is_open()) continue;
    std::vector<Dim> dims = fact.shape.dims();
    if (std::ranges::find(dims, alike.gone) == dims.end()) continue;
    std::ranges::replace(dims, alike.gone, alike.kept);
    fact.shape = std::move(dims);
    body.set_fact(source, fact);
    body.set_op(source.node, Source{fact});
    changed.push_back(source);
  }
  infer_again(body, changed);
  if (has(body, alike.gone)) return no_change;
  return std::move(edit).finish();
}

}  // namespace

/// Sizes of carried values that begin alike and change alike in each iteration -> one symbol for
/// them
Rewrite sizes_growing_alike(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop) return no_change;
  for (const Alike& alike : find_alike(LoopEdit(node, *loop), *loop))
    if (Rewrite found = unified(LoopEdit(node, *loop), alike)) return found;
  return no_change;
}

}  // namespace strata
