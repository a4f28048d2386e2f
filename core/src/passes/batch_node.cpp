#include "passes/batch_node.h"

#include <algorithm>
#include <numeric>

#include "passes/op_traits.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

using Batched = std::optional<BatchResult>;

/// Batches a node whose batched operands all have one row form. Axes of the body are counted from
/// the front; if the row lacks the axis of the iterations, each is one further back in the whole.
class NodeBatcher {
 public:
  NodeBatcher(Patch& patch, const TypedModel& body, const TypedNode& node,
              const std::vector<BatchOperand>& operands, RowForm form)
      : patch_(patch), body_(body), node_(node), operands_(operands), form_(form) {}

  Batched run() {
    for (const OutletId input : node_.inputs)
      if (shape_of(input).is_open()) return std::nullopt;
    for (const auto& outlet : node_.outputs)
      if (outlet.fact.shape.is_open()) return std::nullopt;
    if (is_elementwise(node_.op) || node_.op.as<Cast>() || node_.op.as<Select>())
      return elementwise();
    if (const MatMul* op = node_.op.as<MatMul>()) return product(*op);
    if (const Gather* op = node_.op.as<Gather>()) return gather(*op);
    if (const Concat* op = node_.op.as<Concat>()) return concat(*op);
    if (!is_batched(0) || batched_count() != 1) return std::nullopt;
    if (node_.op.as<Squeeze>()) return squeeze();
    if (node_.op.as<Unsqueeze>()) return unsqueeze();
    if (node_.op.as<Reshape>()) return reshape();
    if (node_.op.as<Slice>()) return slice();
    if (const Transpose* op = node_.op.as<Transpose>()) return transpose(*op);
    if (const Softmax* op = node_.op.as<Softmax>()) return softmax(*op);
    if (const Split* op = node_.op.as<Split>()) return split(*op);
    return std::nullopt;
  }

 private:
  const ShapeFact& shape_of(OutletId wire) const { return body_.fact(wire).shape; }
  const ShapeFact& shape(std::size_t i) const { return shape_of(node_.inputs[i]); }
  const ShapeFact& result() const { return node_.outputs[0].fact.shape; }
  bool is_squeezed() const { return form_ == RowForm::squeezed; }
  bool is_batched(std::size_t i) const { return operands_[i].is_batched; }
  std::size_t batched_count() const {
    return static_cast<std::size_t>(
        std::count_if(operands_.begin(), operands_.end(),
                      [](const BatchOperand& operand) { return operand.is_batched; }));
  }

  /// An axis of the row as one of the whole; nothing for the axis of the iterations.
  std::optional<std::int64_t> whole_axis(std::int64_t axis, std::size_t rank) const {
    const auto at = static_cast<std::int64_t>(normalized_axis(axis, rank));
    if (is_squeezed()) return at + 1;
    return at == 0 ? std::nullopt : std::optional(at);
  }
  std::optional<Shape> whole_axes(const Shape& axes, std::size_t rank) const {
    Shape out;
    for (const std::int64_t axis : axes) {
      const auto at = whole_axis(axis, rank);
      if (!at) return std::nullopt;
      out.push_back(*at);
    }
    return out;
  }

  OutletId integers(std::string_view name, const Shape& values) {
    return patch_.constant(cat(node_.name, '.', name), Tensor::vector<std::int64_t>(values));
  }
  std::optional<Shape> known(std::size_t i) const {
    return i < node_.inputs.size() ? body_.fact(node_.inputs[i]).integers() : std::nullopt;
  }

  Batched wired(const TypedOp& op, const OutletIds& inputs) {
    return BatchResult{patch_.wire(node_.name, op, inputs), form_};
  }
  OutletIds wires() const {
    OutletIds out;
    for (const BatchOperand& operand : operands_) out.push_back(operand.wire);
    return out;
  }
  OutletId data() const { return operands_[0].wire; }

  /// A batched operand must not be stretched, and no other operand may have an extent along the
  /// axis of the iterations.
  Batched elementwise() {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (is_batched(i) ? shape(i) != result() : !is_same_for_all(shape(i))) return std::nullopt;
    }
    return wired(node_.op, wires());
  }
  bool is_same_for_all(const ShapeFact& operand) const {
    if (operand.rank() > result().rank()) return false;
    return is_squeezed() || operand.rank() < result().rank() || operand[0] == Dim(1);
  }

  Batched product(const MatMul& op) {
    const bool is_row_times_matrix = is_batched(0) && !is_batched(1) && !op.transpose_a &&
                                     shape(1).rank() == 2 &&
                                     shape(0).rank() >= (is_squeezed() ? 1U : 2U);
    return is_row_times_matrix ? wired(op, wires()) : std::nullopt;
  }

  /// Rows of a table, or the same places of each row.
  Batched gather(const Gather& op) {
    if (batched_count() != 1) return std::nullopt;
    const std::size_t rank = shape(0).rank();
    if (is_batched(1))
      return normalized_axis(op.axis, rank) == 0 ? wired(op, wires()) : std::nullopt;
    const auto axis = whole_axis(op.axis, rank);
    return axis && shape(1).rank() <= 1 ? wired(Gather{*axis}, wires()) : std::nullopt;
  }

  Batched concat(const Concat& op) {
    const auto axis = whole_axis(op.axis, result().rank());
    return axis && batched_count() == operands_.size() ? wired(Concat{*axis}, wires())
                                                       : std::nullopt;
  }

  Batched squeeze() {
    const std::size_t rank = shape(0).rank();
    const auto axes = known(1);
    if (!axes) return std::nullopt;
    const auto is_first = [&](std::int64_t axis) { return normalized_axis(axis, rank) == 0; };
    if (!is_squeezed() && axes->size() == 1 && is_first((*axes)[0]))
      return BatchResult{.wires = {data()}, .form = RowForm::squeezed, .is_alias = true};
    const auto moved = whole_axes(*axes, rank);
    return moved ? wired(Squeeze{}, {data(), integers("axes", *moved)}) : std::nullopt;
  }

  Batched unsqueeze() {
    const auto axes = known(1);
    if (!axes) return std::nullopt;
    const std::size_t rank = result().rank();
    if (is_squeezed() && axes->size() == 1 && normalized_axis((*axes)[0], rank) == 0)
      return BatchResult{.wires = {data()}, .form = RowForm::kept, .is_alias = true};
    const auto moved = whole_axes(*axes, rank);
    return moved ? wired(Unsqueeze{}, {data(), integers("axes", *moved)}) : std::nullopt;
  }

  /// Copies the axis of the iterations, whose number need not be known.
  Batched reshape() {
    const auto row = result().concrete();
    const bool is_known = row && shape(0).concrete() && element_count(*row) > 0;
    if (!is_known || (!is_squeezed() && (row->empty() || (*row)[0] != 1))) return std::nullopt;
    Shape target{0};
    for (std::size_t i = is_squeezed() ? 0 : 1; i < row->size(); ++i) target.push_back((*row)[i]);
    return wired(Reshape{ReshapeZero::copy}, {data(), integers("shape", target)});
  }

  Batched slice() {
    const auto starts = known(1), ends = known(2);
    if (!starts || !ends) return std::nullopt;
    std::optional<Shape> axes = known(3), steps = known(4);
    if (node_.inputs.size() <= 3) {
      axes = Shape(starts->size(), 0);
      std::iota(axes->begin(), axes->end(), 0);
    }
    if (node_.inputs.size() <= 4) steps = Shape(starts->size(), 1);
    const auto moved = axes ? whole_axes(*axes, shape(0).rank()) : std::nullopt;
    if (!moved || !steps) return std::nullopt;
    return wired(Slice{}, {data(), integers("starts", *starts), integers("ends", *ends),
                           integers("axes", *moved), integers("steps", *steps)});
  }

  Batched transpose(const Transpose& op) {
    std::vector<std::int64_t> perm = op.perm;
    if (perm.empty())
      for (std::size_t i = shape(0).rank(); i-- > 0;) perm.push_back(static_cast<std::int64_t>(i));
    if (is_squeezed()) {
      for (std::int64_t& axis : perm) ++axis;
      perm.insert(perm.begin(), 0);
    }
    return !perm.empty() && perm[0] == 0 ? wired(Transpose{perm}, {data()}) : std::nullopt;
  }

  Batched softmax(Softmax op) {
    const auto axes = whole_axes(op.axes, shape(0).rank());
    if (!axes) return std::nullopt;
    op.axes = *axes;
    return wired(op, {data()});
  }

  Batched split(Split op) {
    const auto axis = whole_axis(op.axis, shape(0).rank());
    if (!axis) return std::nullopt;
    op.axis = *axis;
    return wired(op, wires());
  }

  Patch& patch_;
  const TypedModel& body_;
  const TypedNode& node_;
  const std::vector<BatchOperand>& operands_;
  RowForm form_;
};

}  // namespace

OutletId with_axis(Wiring& wiring, std::string_view name, OutletId wire, std::int64_t axis) {
  const OutletId at = wiring.constant(cat(name, ".axis"), Tensor::of<std::int64_t>({1}, {axis}));
  return wiring.wire_one(name, Unsqueeze{}, {wire, at});
}

OutletId without_axis(Wiring& wiring, std::string_view name, OutletId wire, std::int64_t axis) {
  const OutletId at = wiring.constant(cat(name, ".axis"), Tensor::of<std::int64_t>({1}, {axis}));
  return wiring.wire_one(name, Squeeze{}, {wire, at});
}

std::optional<BatchResult> batch_node(Patch& patch, const TypedModel& body, const TypedNode& node,
                                      const std::vector<BatchOperand>& operands, RowForm form) {
  if (auto result = NodeBatcher(patch, body, node, operands, form).run()) return result;
  if (form == RowForm::squeezed) return std::nullopt;
  // A row of shape [1, ..] can also be seen as lacking the axis of a whole of shape [n, 1, ..].
  std::vector<BatchOperand> others = operands;
  for (BatchOperand& operand : others)
    if (operand.is_batched)
      operand.wire = with_axis(patch, cat(node.name, ".rows"), operand.wire, 1);
  return NodeBatcher(patch, body, node, others, RowForm::squeezed).run();
}

}  // namespace strata
