#include "passes/loop_edit.h"
#include "passes/op_traits.h"
#include "passes/passes.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/squeeze.h"

namespace strata {
namespace {

/// A wire of the body as it is for all iterations at once: along axis 0, where the body has an axis
/// of size 1, or none once it is squeezed.
struct Batched {
  OutletId outer;
  std::size_t entry = 0;  ///< the scanned entry it depends on
  bool is_squeezed = false;
  bool is_computed = false;  ///< more than the entry itself
};

class Batcher {
 public:
  Batcher(const NodeView& node, const Loop& loop)
      : loop_(loop),
        edit_(node, loop),
        body_(*loop.body),
        trips_(trips_of(node, loop)),
        batched_(body_.nodes().size()) {}

  Rewrite run() && {
    if (!trips_) return no_change;
    for (std::size_t entry = 0; entry < loop_.inputs.size(); ++entry) begin(entry);
    for (const std::uint32_t id : body_.order())
      if (!batched_[id]) batched_[id] = lifted(body_.node(id));
    bool changed = false;
    for (std::uint32_t id = 0; id < batched_.size(); ++id) {
      if (!batched_[id] || !batched_[id]->is_computed || !is_read_inside(id)) continue;
      scan_result(id);
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
    if (normalized_axis(input.axis, whole.rank()) != 0 || row[0] != Dim(1)) return;
    if (*trips_ != whole[0] && *trips_ != max(whole[0], 0)) return;
    batched_[source.node] = Batched{edit_.outer(entry), entry};
  }

  const Batched* batched(OutletId wire) const {
    return !wire.is_absent() && batched_[wire.node] ? &*batched_[wire.node] : nullptr;
  }

  std::optional<Batched> lifted(const TypedNode& node) {
    if (node.op.as<Squeeze>()) return squeezed(node);
    if (!is_elementwise(node.op) && !node.op.as<MatMul>()) return std::nullopt;
    std::optional<Batched> result;
    OutletIds inputs;
    for (const OutletId input : node.inputs) {
      if (const Batched* known = batched(input)) {
        if (result && (result->entry != known->entry || result->is_squeezed != known->is_squeezed))
          return std::nullopt;
        result = *known;
        inputs.push_back(known->outer);
      } else if (const auto wire = edit_.outside(input)) {
        inputs.push_back(*wire);
      } else {
        return std::nullopt;
      }
    }
    if (!result || !keeps_rows_apart(node, result->is_squeezed)) return std::nullopt;
    result->outer = edit_.patch().wire_one(node.name, node.op, inputs);
    result->is_computed = true;
    return result;
  }

  /// What takes out the axis of the iterations leaves the whole as it is.
  std::optional<Batched> squeezed(const TypedNode& node) const {
    const Batched* data = batched(node.inputs[0]);
    if (!data || data->is_squeezed || node.inputs.size() != 2) return std::nullopt;
    const auto axes = body_.fact(node.inputs[1]).integers();
    const std::size_t rank = body_.fact(node.inputs[0]).shape.rank();
    if (!axes || axes->size() != 1 || normalized_axis((*axes)[0], rank) != 0) return std::nullopt;
    Batched result = *data;
    result.is_squeezed = true;
    return result;
  }

  /// Whether the node, given all rows, computes each as in an iteration, and nothing larger but by
  /// a product.
  bool keeps_rows_apart(const TypedNode& node, bool is_squeezed) const {
    const auto shape = [&](std::size_t i) -> const ShapeFact& {
      return body_.fact(node.inputs[i]).shape;
    };
    for (const OutletId input : node.inputs)
      if (body_.fact(input).shape.is_open()) return false;
    if (const MatMul* product = node.op.as<MatMul>())
      return batched(node.inputs[0]) && !batched(node.inputs[1]) && !product->transpose_a &&
             shape(1).rank() == 2 && shape(0).rank() >= (is_squeezed ? 1u : 2u);
    const ShapeFact& out = node.outputs[0].fact.shape;
    if (out.is_open()) return false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (batched(node.inputs[i]) ? shape(i) != out : !is_same_for_all(shape(i), out, is_squeezed))
        return false;
    }
    return true;
  }

  /// An operand that does not reach into the axis of the iterations.
  static bool is_same_for_all(const ShapeFact& operand, const ShapeFact& out, bool is_squeezed) {
    return is_squeezed || operand.rank() < out.rank() || operand[0] == Dim(1);
  }

  bool is_read_inside(std::uint32_t id) const {
    for (const InletId reader : body_.successors({id, 0}))
      if (!batched_[reader.node]) return true;
    return body_.is_output({id, 0});
  }

  void scan_result(std::uint32_t id) {
    const Batched& result = *batched_[id];
    const std::string& name = body_.node(id).name;
    const Fact& fact = body_.fact({id, 0});
    std::vector<Dim> dims = fact.shape.dims();
    if (result.is_squeezed) dims.insert(dims.begin(), Dim(1));
    LoopInput input{LoopInput::Kind::scanned, 0, 1, loop_.inputs[result.entry].reversed};
    OutletId row = edit_.add_entry(input, result.outer, cat(name, ".row"),
                                   Fact::tensor(fact.dtype, std::move(dims)));
    TypedModel& body = edit_.changed_body();
    if (result.is_squeezed)
      row = body.wire_one(body.unique_name(cat(name, ".squeeze")), Squeeze{},
                          {row, body.constant(body.unique_name(cat(name, ".axis")),
                                              Tensor::of<std::int64_t>({1}, {0}))});
    body.redirect({id, 0}, row);
  }

  const Loop& loop_;
  LoopEdit edit_;
  const TypedModel& body_;
  std::optional<Dim> trips_;
  std::vector<std::optional<Batched>> batched_;  ///< by node of the body
};

}  // namespace

/// Loop(body(f(row of x))) -> y = f(x), Loop(body(row of y)), for f of products with a matrix and
/// elementwise ops, and x scanned along axis 0
Rewrite batch_prefix(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || loop->condition) return no_change;
  return Batcher(node, *loop).run();
}

}  // namespace strata
