#include <algorithm>

#include "inline_body.h"
#include "keeps_state.h"
#include "passes/loop_edit.h"
#include "passes/passes.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/loop.h"

namespace strata {
namespace {

/// Iterations of a loop that nothing but a known number of trips ends.
std::optional<std::int64_t> known_trips(const NodeView& node, const Loop& loop) {
  const auto trips = trips_of(node, loop);
  return trips ? trips->constant() : std::nullopt;
}

/// Bytes of the constants of a body.
std::int64_t bytes_of_constants(const TypedModel& body) {
  std::int64_t bytes = 0;
  for (const TypedNode& node : body.nodes())
    if (const Tensor* value = node.op.as<Const>() ? node.outputs[0].fact.constant() : nullptr)
      bytes += static_cast<std::int64_t>(value->byte_size());
  return bytes;
}

/// Bytes of the constants an unrolled loop adds: the iteration numbers, the bounds of slices, and
/// the body's own, of which a kernel may keep a copy for each iteration.
std::int64_t constant_bytes(const Loop& loop, std::int64_t trips) {
  return trips * (bytes_of_constants(*loop.body) +
                  static_cast<std::int64_t>((loop.inputs.size() + 1) * 2 * sizeof(std::int64_t)));
}

/// Whether a carried value changes its shape.
bool grows(const Loop& loop) {
  const auto carried = loop.carried();
  for (std::size_t k = 0; k < carried.size(); ++k)
    if (loop.body->input_fact(carried[k] + loop.numbered).shape != loop.body->output_fact(k).shape)
      return true;
  return false;
}

/// Whether a body contains a loop whose values grow: for each copy of it, a run would keep as much
/// memory as it grows to.
bool holds_growth(const TypedModel& body) {
  return std::ranges::any_of(body.nodes(), [](const TypedNode& node) {
    const Loop* inner = node.op.as<Loop>();
    return (inner && grows(*inner)) || std::ranges::any_of(node.op.bodies(), [](const Body& each) {
             return holds_growth(*each);
           });
  });
}

bool is_within_budget(const Loop& loop, std::int64_t trips, std::int64_t body_nodes,
                      const Limits& limits) {
  return trips >= 1 && trips <= limits.unroll_trips && trips <= limits.unroll_nodes &&
         body_nodes <= limits.unroll_nodes && trips * body_nodes <= limits.unroll_nodes &&
         constant_bytes(loop, trips) <= limits.unroll_bytes &&
         (trips == 1 || !holds_growth(*loop.body));
}

/// Writes out the iterations of a loop, one after the other.
class Unroller {
 public:
  Unroller(const NodeView& node, const Loop& loop, std::int64_t trips)
      : node_(node),
        loop_(loop),
        trips_(trips),
        patch_(node),
        body_(*loop.body),
        stacked_(loop.outputs.size()) {}

  Patch run() && {
    for (const std::size_t i : loop_.carried()) carried_.push_back(outer(i));
    for (std::int64_t n = 0; n < trips_; ++n) add_iteration(n);
    for (std::size_t i = 0; i < loop_.outputs.size(); ++i) patch_.shunt(node_.output(i), output(i));
    return std::move(patch_);
  }

 private:
  OutletId outer(std::size_t entry) const { return node_.input(entry + loop_.has_trip_count); }
  OutletId scanned_slice(std::size_t entry, std::int64_t n) {
    const LoopInput& input = loop_.inputs[entry];
    const std::int64_t at = (input.reversed ? trips_ - 1 - n : n) * input.chunk;
    return slice_at(patch_, cat("scan", entry, '.', n), outer(entry), input, at);
  }

  void add_iteration(std::int64_t n) {
    OutletIds inputs;
    if (loop_.numbered) inputs.push_back(patch_.constant("iteration", Tensor::scalar(n)));
    std::size_t next_carried = 0;
    for (std::size_t i = 0; i < loop_.inputs.size(); ++i) {
      switch (loop_.inputs[i].kind) {
        case LoopInput::Kind::invariant:
          inputs.push_back(outer(i));
          break;
        case LoopInput::Kind::carried:
          inputs.push_back(carried_[next_carried++]);
          break;
        case LoopInput::Kind::scanned:
          inputs.push_back(scanned_slice(i, n));
          break;
      }
    }
    const OutletIds results = body_.inline_into(patch_, inputs, cat(n));
    for (std::size_t i = 0; i < loop_.outputs.size(); ++i)
      if (loop_.outputs[i].kind == LoopOutput::Kind::stacked)
        stacked_[i].push_back(results[static_cast<std::size_t>(loop_.outputs[i].index)]);
    std::copy_n(results.begin(), carried_.size(), carried_.begin());
  }

  OutletId output(std::size_t i) {
    const LoopOutput& output = loop_.outputs[i];
    if (output.kind == LoopOutput::Kind::last)
      return carried_[static_cast<std::size_t>(output.index)];
    if (output.reversed) std::reverse(stacked_[i].begin(), stacked_[i].end());
    return patch_.wire_one(cat("stack", i), Concat{output.axis}, stacked_[i]);
  }

  const NodeView& node_;
  const Loop& loop_;
  std::int64_t trips_;
  Patch patch_;
  BodyInliner body_;
  OutletIds carried_;
  std::vector<OutletIds> stacked_;
};

}  // namespace

std::int64_t nodes_after_unrolling(const TypedModel& model, const Limits& limits) {
  auto total = static_cast<std::int64_t>(model.live_nodes());
  for (std::uint32_t id = 0; id < model.nodes().size(); ++id) {
    const TypedNode& node = model.node(id);
    if (node.erased) continue;
    std::int64_t nodes = 0;
    for (const Body& body : node.op.bodies()) nodes += nodes_after_unrolling(*body, limits);
    if (const Loop* loop = node.op.as<Loop>()) {
      const auto trips = known_trips({model, id}, *loop);
      if (trips && is_within_budget(*loop, *trips, nodes, limits)) nodes *= *trips;
    }
    total += nodes;
  }
  return total;
}

/// Loop of n trips(body) -> body(0), body(1), …, body(n-1), for n up to Limits::unroll_trips
Rewrite unroll_loops(const NodeView& node, const Limits& limits) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop) return no_change;
  const auto trips = known_trips(node, *loop);
  const auto nodes = static_cast<std::int64_t>(loop->body->total_nodes());
  if (!trips || !is_within_budget(*loop, *trips, nodes, limits) || keeps_state(*loop->body))
    return no_change;
  return Unroller(node, *loop, *trips).run();
}

}  // namespace strata
