#include "passes/permuted_node.h"

#include <algorithm>

#include "ops/movement.h"
#include "passes/op_traits.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/resize.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"

namespace strata {
namespace {

using Permuted = std::optional<PermutedNode>;

Tensor integers(const std::vector<std::int64_t>& values) {
  return Tensor::vector<std::int64_t>(values);
}

bool is_one_element(const ShapeFact& shape) {
  return std::ranges::all_of(shape.dims(), [](const Dim& size) { return size == Dim(1); });
}

/// A node whose inputs and outputs all have known ranks.
class NodePermuter {
 public:
  NodePermuter(const NodeView& node, const Perm& perm) : node_(node), perm_(perm) {}

  Permuted run() const {
    const TypedOp& op = node_.op();
    if (is_elementwise(op) || op.as<Cast>() || op.as<Select>()) return elementwise();
    if (rank_of(0) != perm_.size()) return std::nullopt;
    if (const Concat* concat = op.as<Concat>()) return joined(*concat);
    if (const Split* split = op.as<Split>())
      return of_data(Split{axis(split->axis), split->outputs});
    if (const Quantize* quantize = op.as<Quantize>()) return scaled(*quantize);
    if (const Dequantize* dequantize = op.as<Dequantize>()) return scaled(*dequantize);
    if (const Resize* resize = op.as<Resize>()) return resized(*resize);
    if (const Reduce* reduce = op.as<Reduce>()) return reduced(*reduce);
    if (const Pad* pad = op.as<Pad>()) return padded(*pad);
    if (op.as<Slice>()) return sliced();
    return std::nullopt;
  }

 private:
  const ShapeFact& shape_of(std::size_t i) const { return node_.input_fact(i).shape; }
  std::size_t rank_of(std::size_t i) const { return shape_of(i).rank(); }
  bool has(std::size_t i) const { return i < node_.inputs().size(); }

  /// An axis of the node as an axis of the permuted node.
  std::int64_t axis(std::int64_t own) const { return perm_[normalized_axis(own, perm_.size())]; }
  Perm axes(const Shape& own) const {
    Perm out;
    for (const std::int64_t each : own) out.push_back(axis(each));
    return out;
  }

  /// The op on a turned first operand, with the others as they are.
  PermutedNode of_data(TypedOp op) const {
    PermutedNode out{std::move(op), std::vector<PermutedOperand>(node_.inputs().size())};
    out.operands[0].is_turned = true;
    return out;
  }

  /// Operands of fewer axes are aligned with the last axes, so they have to be rearranged.
  Permuted elementwise() const {
    if (node_.output_fact().shape.rank() != perm_.size()) return std::nullopt;
    PermutedNode out{node_.op(), {}};
    for (std::size_t i = 0; i < node_.inputs().size(); ++i) {
      PermutedOperand operand;
      if (!is_one_element(shape_of(i))) {
        operand.is_turned = true;
        if (rank_of(i) != perm_.size()) {
          const Tensor* constant = node_.input_fact(i).constant();
          if (!constant) return std::nullopt;
          Shape shape(perm_.size() - rank_of(i), 1);
          shape.insert(shape.end(), constant->shape().begin(), constant->shape().end());
          operand.instead = constant->reshaped(std::move(shape));
        }
      }
      out.operands.push_back(std::move(operand));
    }
    return out;
  }

  Permuted joined(const Concat& concat) const {
    PermutedNode out{Concat{axis(concat.axis)}, {}};
    out.operands.assign(node_.inputs().size(), PermutedOperand{true, std::nullopt});
    return out;
  }

  template <class Op>
  Permuted scaled(Op op) const {
    if (op.block_size != 0 || shape_of(1).rank() > 1) return std::nullopt;
    if (!is_one_element(shape_of(1))) op.axis = axis(op.axis);
    return of_data(op);
  }

  Permuted resized(Resize op) const {
    const Perm moved = axes(op.axes ? *op.axes : all_axes(perm_.size()));
    op.axes = Shape(moved.begin(), moved.end());
    return of_data(op);
  }

  Permuted reduced(const Reduce& reduce) const {
    const auto own = has(1) ? known_axes(node_.input_fact(1), perm_.size()) : std::nullopt;
    if (!own || own->empty() || own->back() + 1 == perm_.size()) return std::nullopt;
    Perm kept;
    for (std::size_t i = 0; i < perm_.size(); ++i)
      if (!std::ranges::binary_search(*own, i)) kept.push_back(perm_[i]);
    if (!reduce.keep_dims && !std::ranges::is_sorted(kept)) return std::nullopt;
    PermutedNode out = of_data(reduce);
    out.operands[1].instead = integers(axes(Shape(own->begin(), own->end())));
    out.turns_outputs = reduce.keep_dims;
    return out;
  }

  Permuted padded(const Pad& pad) const {
    const auto amounts = node_.input_fact(1).integers();
    const auto own =
        has(3) ? node_.input_fact(3).integers() : std::optional(all_axes(perm_.size()));
    if (!amounts || !own) return std::nullopt;
    PermutedNode out = of_data(pad);
    if (has(3)) {
      out.operands[3].instead = integers(axes(*own));
      return out;
    }
    std::vector<std::int64_t> moved(amounts->size());
    const std::size_t rank = perm_.size();
    for (std::size_t i = 0; i < rank; ++i) {
      const auto at = static_cast<std::size_t>(perm_[i]);
      moved[at] = (*amounts)[i];
      moved[rank + at] = (*amounts)[rank + i];
    }
    out.operands[1].instead = integers(moved);
    return out;
  }

  Permuted sliced() const {
    const auto own = has(3) ? node_.input_fact(3).integers() : std::nullopt;
    if (!own) return std::nullopt;
    PermutedNode out = of_data(Slice{});
    out.operands[3].instead = integers(axes(*own));
    return out;
  }

  const NodeView& node_;
  const Perm& perm_;
};

bool has_ranks(const NodeView& node) {
  for (const OutletId input : node.inputs())
    if (node.model.fact(input).shape.is_open()) return false;
  return std::ranges::none_of(node.node().outputs,
                              [](const auto& outlet) { return outlet.fact.shape.is_open(); });
}

}  // namespace

Permuted permuted_node(const NodeView& node, const Perm& perm) {
  if (node.inputs().empty() || !has_ranks(node)) return std::nullopt;
  return NodePermuter(node, perm).run();
}

}  // namespace strata
