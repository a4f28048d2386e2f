#include <algorithm>
#include <map>

#include "passes/batch_node.h"
#include "passes/loop_edit.h"
#include "passes/passes.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/transpose.h"

namespace strata {
namespace {

/// A wire of the body as it is for all iterations at once.
struct Batched {
  OutletId outer;
  RowForm form = RowForm::kept;
  bool reversed = false;
  bool is_computed = false;  ///< more than the scanned entry itself
  bool is_worth_it = true;   ///< nothing had to be moved, or a product pays for that
};

class Batcher {
 public:
  Batcher(const NodeView& node, const Loop& loop)
      : loop_(loop),
        edit_(node, loop),
        body_(*loop.body),
        trips_(trips_of(node, loop)),
        is_lifted_(body_.nodes().size(), false) {}

  Rewrite run() && {
    if (!trips_) return no_change;
    for (std::size_t entry = 0; entry < loop_.inputs.size(); ++entry) begin(entry);
    if (batched_.empty()) return no_change;
    for (const std::uint32_t id : body_.order()) lift(id);
    bool changed = false;
    for (const auto& [wire, result] : batched_) {
      if (!result.is_computed || !result.is_worth_it || !is_read_inside(wire)) continue;
      scan_result(wire, result);
      changed = true;
    }
    if (!changed) return no_change;
    return std::move(edit_).finish();
  }

 private:
  /// Inputs scanned row by row, all rows of which are read.
  void begin(std::size_t entry) {
    const LoopInput& input = loop_.inputs[entry];
    if (input.kind != LoopInput::Kind::scanned || input.chunk != 1) return;
    const ShapeFact& whole = edit_.outer_fact(entry).shape;
    const OutletId source = edit_.source(entry);
    const ShapeFact& row = body_.fact(source).shape;
    if (whole.is_open() || row.is_open() || whole.rank() != row.rank()) return;
    const std::size_t axis = normalized_axis(input.axis, whole.rank());
    if (row[axis] != Dim(1)) return;
    if (!has_a_slice_each(whole, input, *trips_)) return;
    batched_[source] =
        axis == 0
            ? Batched{.outer = edit_.outer(entry), .reversed = input.reversed}
            : Batched{.outer = axis_in_front(entry, static_cast<std::int64_t>(axis), whole.rank()),
                      .form = RowForm::squeezed,
                      .reversed = input.reversed,
                      .is_worth_it = false};
    is_lifted_[source.node] = true;
  }

  /// The scanned axis in front; in its old place there is one of size 1, as in a row.
  OutletId axis_in_front(std::size_t entry, std::int64_t axis, std::size_t rank) {
    Transpose move{{axis}};
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(rank); ++i)
      if (i != axis) move.perm.push_back(i);
    const OutletId moved = edit_.patch().wire_one(cat("moved", entry), move, {edit_.outer(entry)});
    return with_axis(edit_.patch(), cat("rows", entry), moved, axis + 1);
  }

  const Batched* batched(OutletId wire) const {
    const auto at = batched_.find(wire);
    return at == batched_.end() ? nullptr : &at->second;
  }

  bool reads_batched(const TypedNode& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](const OutletId input) { return batched(input) != nullptr; });
  }

  void lift(std::uint32_t id) {
    const TypedNode& node = body_.node(id);
    if (is_lifted_[id] || node.op.is_stateful() || !reads_batched(node)) return;
    const Batched* first = nullptr;
    bool is_worth_it = true;
    std::vector<BatchOperand> operands;
    for (const OutletId input : node.inputs) {
      if (const Batched* known = batched(input)) {
        if (first && (first->reversed != known->reversed || first->form != known->form)) return;
        if (!first) first = known;
        is_worth_it &= known->is_worth_it;
        operands.push_back({known->outer, true});
      } else if (const auto wire = edit_.outside(input); wire) {
        operands.push_back({*wire, false});
      } else {
        return;
      }
    }
    const auto result = batch_node(edit_.patch(), body_, node, operands, first->form);
    if (!result) return;
    is_worth_it |= node.op.as<MatMul>() != nullptr;
    Batched lifted{
        {}, result->form, first->reversed, first->is_computed || !result->is_alias, is_worth_it};
    for (std::uint32_t slot = 0; slot < result->wires.size(); ++slot) {
      lifted.outer = result->wires[slot];
      batched_[{id, slot}] = lifted;
    }
    is_lifted_[id] = true;
  }

  bool is_read_inside(OutletId wire) const {
    for (const InletId reader : body_.successors(wire))
      if (!is_lifted_[reader.node]) return true;
    return body_.is_output(wire);
  }

  void scan_result(OutletId wire, const Batched& result) {
    const std::string& name = body_.node(wire.node).name;
    const Fact& fact = body_.fact(wire);
    const bool is_squeezed = result.form == RowForm::squeezed;
    std::vector<Dim> dims = fact.shape.dims();
    if (is_squeezed) dims.insert(dims.begin(), Dim(1));
    OutletId row = edit_.add_entry({LoopInput::Kind::scanned, 0, 1, result.reversed}, result.outer,
                                   cat(name, ".row"), Fact::tensor(fact.dtype, std::move(dims)));
    TypedModel& body = edit_.changed_body();
    if (is_squeezed) row = without_axis(body, body.unique_name(cat(name, ".squeeze")), row, 0);
    body.redirect(wire, row);
  }

  const Loop& loop_;
  LoopEdit edit_;
  const TypedModel& body_;
  std::optional<Dim> trips_;
  std::map<OutletId, Batched> batched_;
  std::vector<bool> is_lifted_;  ///< by node of the body
};

}  // namespace

/// Loop(body(f(row of x))) -> y = f(x), Loop(body(row of y)), for f of products with a matrix,
/// elementwise ops, and ops that move elements within a row. An x scanned along another axis than
/// the first is only moved for a product.
Rewrite batch_prefix(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || loop->condition) return no_change;
  return Batcher(node, *loop).run();
}

}  // namespace strata
