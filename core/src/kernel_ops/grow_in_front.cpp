#include <algorithm>
#include <set>

#include "kernel_ops/concat_kernel.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/transposition.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/transpose.h"

namespace strata {
namespace {

std::optional<std::int64_t> joined_axis(const TypedOp& op) {
  if (const Concat* concat = op.as<Concat>()) return concat->axis;
  if (const ConcatKernel* concat = op.as<ConcatKernel>()) return concat->axis;
  return std::nullopt;
}

/// A carried value of a loop that grows along an axis within.
class Growth {
 public:
  Growth(const NodeView& node, const Loop& loop, std::size_t carried, std::size_t entry)
      : node_(node),
        loop_(loop),
        carried_(carried),
        entry_(entry),
        source_(loop.body->inputs()[entry_ + loop.numbered]),
        next_(loop.body->outputs()[carried].outlet) {}

  /// Whether the body only appends to the value, and uses the result only in products, which can
  /// read axes in any order.
  bool find() {
    const TypedModel& body = *loop_.body;
    const NodeView maker{body, next_.node};
    const auto axis = joined_axis(maker.op());
    const ShapeFact& shape = body.fact(source_).shape;
    if (!axis || shape.is_open() || maker.input(0) != source_ ||
        body.successors(source_).size() != 1 || times_given(source_) != 0)
      return false;
    const std::size_t at = normalized_axis(*axis, shape.rank());
    bool is_within = false;
    for (std::size_t i = 0; i < at; ++i) is_within |= shape[i] != Dim(1);
    if (!is_within) return false;
    in_front_ = {static_cast<std::int64_t>(at)};
    for (std::size_t i = 0; i < shape.rank(); ++i)
      if (i != at) in_front_.push_back(static_cast<std::int64_t>(i));
    return is_multiplied_only();
  }

  Patch run() && {
    Patch patch(node_);
    Loop loop = loop_;
    loop.body = std::make_shared<TypedModel>(changed_body());
    OutletIds inputs = node_.inputs();
    OutletId& initial = inputs[entry_ + loop_.has_trip_count];
    initial = patch.wire_one("in_front", Transpose{in_front_}, {initial});
    const OutletIds outputs = patch.wire("", loop, inputs);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const bool is_grown = loop.outputs[o].kind == LoopOutput::Kind::last &&
                            loop.outputs[o].index == static_cast<std::int64_t>(carried_);
      patch.shunt(node_.output(o),
                  is_grown
                      ? patch.wire_one(cat("grown", o), Transpose{inverse(in_front_)}, {outputs[o]})
                      : outputs[o]);
    }
    return patch;
  }

 private:
  /// As how many outputs the body gives `value`.
  std::size_t times_given(OutletId value) const {
    const auto& outputs = loop_.body->outputs();
    return static_cast<std::size_t>(
        std::count_if(outputs.begin(), outputs.end(),
                      [&](const GraphOutput& output) { return output.outlet == value; }));
  }

  bool is_multiplied_only() const {
    const auto& readers = loop_.body->successors(next_);
    return times_given(next_) == 1 &&
           std::all_of(readers.begin(), readers.end(), [&](InletId reader) {
             const auto perm = read_perm(reader);
             return perm && keeps_lines(*perm);
           });
  }

  /// The order in which a product would step through the grown value; nothing for other readers.
  std::optional<Perm> read_perm(InletId reader) const {
    const auto order = stepping_order(loop_.body->node(reader.node).op, reader.slot);
    return order ? std::optional(composed(inverse(in_front_), *order)) : std::nullopt;
  }

  TypedModel changed_body() const {
    TypedModel body = *loop_.body;
    const TypedNode maker = body.node(next_.node);
    Fact fact = body.fact(source_).without_value();
    std::vector<Dim> dims;
    for (const std::int64_t axis : in_front_)
      dims.push_back(fact.shape[static_cast<std::size_t>(axis)]);
    fact.shape = std::move(dims);
    OutletIds parts{source_};
    for (std::size_t i = 1; i < maker.inputs.size(); ++i)
      parts.push_back(body.wire_one(body.unique_name(cat(maker.name, ".part")),
                                    Transpose{in_front_}, {maker.inputs[i]}));
    body.set_fact(source_, fact);
    body.set_op(source_.node, Source{fact});
    const OutletId grown =
        body.wire_one(body.unique_name(cat(maker.name, ".in_front")), Concat{0}, parts);
    std::vector<GraphOutput> outputs = body.outputs();
    outputs[carried_].outlet = grown;
    body.set_outputs(std::move(outputs));
    std::set<std::uint32_t> readers;
    for (const InletId reader : body.successors(next_)) readers.insert(reader.node);
    for (const std::uint32_t reader : readers) read_grown(body, reader, grown);
    body.remove_dead_nodes();
    body.compact();
    return body;
  }

  /// Makes the kernel read the grown value in its new order of axes.
  void read_grown(TypedModel& body, std::uint32_t reader, OutletId grown) const {
    const TypedNode node = body.node(reader);
    TypedOp kernel = node.op;
    OutletIds inputs = node.inputs;
    for (std::uint32_t slot = 0; slot < inputs.size(); ++slot) {
      if (inputs[slot] != next_) continue;
      kernel = with_stepping_order(kernel, slot, *read_perm({reader, slot}));
      inputs[slot] = grown;
    }
    body.redirect({reader, 0},
                  body.wire_one(body.unique_name(cat(node.name, ".grown")), kernel, inputs));
  }

  NodeView node_;
  const Loop& loop_;
  std::size_t carried_;
  std::size_t entry_;
  OutletId source_;  ///< in the body
  OutletId next_;
  Perm in_front_;
};

}  // namespace

/// Loop(x -> Concat(x, part) along an inner axis) -> the same growing along the leading axis, where
/// an iteration only writes what is new
Rewrite grow_in_front(const NodeView& node, const Target&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop) return no_change;
  const std::vector<std::size_t> carried = loop->carried();
  for (std::size_t k = 0; k < carried.size(); ++k)
    if (Growth growth(node, *loop, k, carried[k]); growth.find()) return std::move(growth).run();
  return no_change;
}

}  // namespace strata
