#include "kernel_ops/cell_match.h"

#include <algorithm>

#include "kernel_ops/view_kernel.h"
#include "strata/core/only_number.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

std::optional<std::int64_t> width_of_fact(const Fact& fact) {
  if (fact.shape.is_open() || fact.shape.rank() == 0) return std::nullopt;
  return fact.shape.dims().back().constant();
}

bool is_view(const TypedOp& op) {
  return op.as<Reshape>() || op.as<Squeeze>() || op.as<Unsqueeze>() || op.as<ViewKernel>();
}

/// Whether a view from `from` to `to` keeps the elements in rows of the same width.
bool keeps_rows(const Fact& from, const Fact& to) {
  const auto width = width_of_fact(from);
  const auto before = from.shape.volume(), after = to.shape.volume();
  return width && width == width_of_fact(to) && before && before == after;
}

}  // namespace

OutletId behind_views(const TypedModel& model, OutletId wire) {
  for (;;) {
    const TypedNode& node = model.node(wire.node);
    if (!is_view(node.op) || !keeps_rows(model.fact(node.inputs[0]), model.fact(wire))) return wire;
    wire = node.inputs[0];
  }
}

std::optional<OutletId> wire_sum(Patch& patch, std::string_view name, const OutletIds& wires) {
  if (wires.empty()) return std::nullopt;
  const TypedOp add = Binary{BinaryOp::add};
  OutletId sum = wires[0];
  for (std::size_t i = 1; i < wires.size(); ++i) {
    const std::string step = cat(name, '.', i);
    const Tensor *a = patch.fact_of(sum).constant(), *b = patch.fact_of(wires[i]).constant();
    sum = a && b ? patch.constant(step, add.eval(ValueList{*a, *b})[0])
                 : patch.wire_one(step, add, {sum, wires[i]});
  }
  return sum;
}

bool CellMatch::has_readers(OutletId wire, std::size_t count) const {
  return model_.successors(wire).size() == count && !model_.is_output(wire);
}

bool CellMatch::is_inner(OutletId wire) const { return has_readers(wire, 1); }

bool CellMatch::is_one(OutletId wire) const {
  const Tensor* constant = fact(wire).constant();
  return constant && constant->dtype() == DatumType::f32 && constant->size() == 1 &&
         constant->as<float>()[0] == 1;
}

std::optional<std::int64_t> CellMatch::width(OutletId wire) const {
  return width_of_fact(fact(wire));
}

std::optional<Operands> CellMatch::binary(BinaryOp op, OutletId wire) const {
  const Binary* binary = maker(wire).op.as<Binary>();
  if (!binary || binary->op != op || !is_f32(fact(wire))) return std::nullopt;
  return Operands{maker(wire).inputs[0], maker(wire).inputs[1]};
}

std::optional<Operands> CellMatch::inner_binary(BinaryOp op, OutletId wire) const {
  return is_inner(wire) ? binary(op, wire) : std::nullopt;
}

std::optional<AppliedFunction> CellMatch::function(OutletId wire) const {
  const auto function = kernel_function(maker(wire).op);
  if (!function || !is_f32(fact(wire))) return std::nullopt;
  return AppliedFunction{*function, maker(wire).inputs[0]};
}

std::optional<AppliedFunction> CellMatch::inner_function(OutletId wire) const {
  return is_inner(wire) ? function(wire) : std::nullopt;
}

std::optional<WirePart> CellMatch::part(OutletId wire) const {
  const TypedNode& node = maker(wire);
  if (!is_inner(wire) || node.inputs.empty()) return std::nullopt;
  std::optional<WirePart> found;
  if (node.op.as<Split>()) found = split_part(node, wire.slot);
  if (node.op.as<Slice>()) found = slice_part(node);
  if (!found) return std::nullopt;
  const auto size = width(wire);
  if (!size) return std::nullopt;
  found->whole = node.inputs[0];
  found->size = *size;
  found->maker = wire.node;
  return found;
}

std::optional<WirePart> CellMatch::split_part(const TypedNode& node, std::uint32_t slot) const {
  const ShapeFact& shape = fact(node.inputs[0]).shape;
  if (shape.is_open() ||
      normalized_axis(node.op.as<Split>()->axis, shape.rank()) + 1 != shape.rank())
    return std::nullopt;
  WirePart out;
  for (std::uint32_t i = 0; i < slot; ++i) {
    const auto size = width_of_fact(node.outputs[i].fact);
    if (!size) return std::nullopt;
    out.begin += *size;
  }
  return out;
}

std::optional<WirePart> CellMatch::slice_part(const TypedNode& node) const {
  const auto whole = width(node.inputs[0]);
  const auto integer = [&](std::size_t i) -> std::optional<std::int64_t> {
    return i < node.inputs.size() ? only_integer(fact(node.inputs[i])) : std::nullopt;
  };
  const auto start = integer(1), axis = integer(3);
  if (!whole || !start || !axis) return std::nullopt;
  const bool has_step = node.inputs.size() > 4;
  const std::size_t rank = fact(node.inputs[0]).shape.rank();
  if (normalized_axis(*axis, rank) + 1 != rank || (has_step && integer(4) != 1))
    return std::nullopt;
  WirePart out;
  out.begin = *start < 0 ? *start + *whole : *start;
  return out.begin >= 0 ? std::optional(out) : std::nullopt;
}

std::optional<ConstantProduct> CellMatch::product(OutletId wire) const {
  const MatMul* matmul = maker(wire).op.as<MatMul>();
  if (!matmul || matmul->transpose_a || !is_f32(fact(wire))) return std::nullopt;
  ConstantProduct out{*matmul, maker(wire).inputs[0], fact(maker(wire).inputs[1]).constant()};
  const ShapeFact& left = fact(out.left).shape;
  if (!out.right || out.right->rank() != 2 || out.right->size() == 0) return std::nullopt;
  if (left.is_open() || left.rank() < 2) return std::nullopt;
  return out;
}

bool CellMatch::add_term(Projection& out, OutletId whole, OutletId term) const {
  term = behind_views(model_, term);
  const ShapeFact& shape = fact(term).shape;
  if (width(term) != width(whole) || !is_f32(fact(term))) return false;
  const bool is_whole = shape.volume() == fact(whole).shape.volume();
  if (shape.volume() == Dim(*width(whole)) && (!is_whole || out.rows.empty())) {
    out.rows.push_back(term);
    return true;
  }
  if (!is_whole || (!out.whole.empty() && !surely_equal(fact(out.whole[0]).shape, shape)))
    return false;
  out.whole.push_back(term);
  return true;
}

std::optional<Projection> CellMatch::projection(OutletId whole) const {
  const auto volume = fact(whole).shape.volume();
  if (!width(whole) || !volume) return std::nullopt;
  Projection out;
  OutletIds todo{whole};
  while (!todo.empty()) {
    const OutletId wire = todo.back();
    todo.pop_back();
    const bool may_go = wire == whole || is_inner(wire);
    const auto sum = may_go ? binary(BinaryOp::add, wire) : std::nullopt;
    const auto product = may_go && !out.product.right ? this->product(wire) : std::nullopt;
    if (sum)
      todo.insert(todo.end(), sum->begin(), sum->end());
    else if (product && fact(wire).shape.volume() == volume)
      out.product = *product;
    else if (may_go && is_view(maker(wire).op) &&
             keeps_rows(fact(maker(wire).inputs[0]), fact(wire)))
      todo.push_back(maker(wire).inputs[0]);
    else if (!add_term(out, whole, wire))
      return std::nullopt;
  }
  return out.product.right ? std::optional(out) : std::nullopt;
}

}  // namespace strata
