#include <algorithm>

#include "passes/loop_edit.h"
#include "passes/passes.h"

namespace strata {
namespace {

/// Which wires of a loop's body matter to the outputs that are read.
class LoopUse {
 public:
  LoopUse(const LoopEdit& edit, const Loop& loop)
      : edit_(edit),
        carried_(loop.carried()),
        is_needed_(edit.body().nodes().size(), false),
        next_(is_needed_.size(), kNone) {
    for (std::size_t k = 0; k < carried_.size(); ++k)
      next_[edit.source(carried_[k]).node] = edit.next(k).node;
    if (loop.condition) need_carried(static_cast<std::size_t>(*loop.condition));
    for (std::size_t i = 0; i < loop.outputs.size(); ++i) {
      if (!edit.is_read(i)) continue;
      const auto index = static_cast<std::size_t>(loop.outputs[i].index);
      if (loop.outputs[i].kind == LoopOutput::Kind::last)
        need_carried(index);
      else
        need(edit.body().outputs()[index].outlet.node);
    }
    follow();
  }

  bool is_needed(std::size_t entry) const { return is_needed_[edit_.source(entry).node]; }
  bool is_number_needed() const { return is_needed_[edit_.body().inputs()[0].node]; }

 private:
  void need(std::uint32_t node) {
    if (is_needed_[node]) return;
    is_needed_[node] = true;
    todo_.push_back(node);
  }
  void need_carried(std::size_t k) {
    need(edit_.source(carried_[k]).node);
    need(edit_.next(k).node);
  }
  /// A value that is needed needs its operands; a carried one also what it goes on as.
  void follow() {
    while (!todo_.empty()) {
      const std::uint32_t id = todo_.back();
      todo_.pop_back();
      for (const OutletId input : edit_.body().node(id).inputs) need(input.node);
      if (next_[id] != kNone) need(next_[id]);
    }
  }

  static constexpr std::uint32_t kNone = UINT32_MAX;

  const LoopEdit& edit_;
  std::vector<std::size_t> carried_;
  std::vector<bool> is_needed_;
  std::vector<std::uint32_t> next_;  ///< by the node a carried value comes in by
  std::vector<std::uint32_t> todo_;
};

/// Scanned entries that must stay: without any, nothing would tell the number of trips.
std::size_t scanned_entries(const Loop& loop) {
  return static_cast<std::size_t>(
      std::count_if(loop.inputs.begin(), loop.inputs.end(),
                    [](const LoopInput& input) { return input.kind == LoopInput::Kind::scanned; }));
}

}  // namespace

/// Loop inputs that no output depends on, and outputs that nobody reads -> gone
Rewrite remove_unused_loop_values(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop) return no_change;
  LoopEdit edit(node, *loop);
  bool changed = false, is_any_read = false;
  for (std::size_t i = 0; i < loop->outputs.size(); ++i) {
    is_any_read |= edit.is_read(i);
    if (edit.is_read(i)) continue;
    edit.drop_output(i);
    changed = true;
  }
  if (!is_any_read) return no_change;
  const LoopUse use(edit, *loop);
  std::size_t scanned = scanned_entries(*loop);
  for (std::size_t entry = 0; entry < loop->inputs.size(); ++entry) {
    const bool is_scanned = loop->inputs[entry].kind == LoopInput::Kind::scanned;
    if (use.is_needed(entry) || (is_scanned && scanned == 1)) continue;
    if (is_scanned) --scanned;
    edit.drop_entry(entry);
    changed = true;
  }
  if (loop->numbered && !use.is_number_needed()) {
    edit.drop_number();
    changed = true;
  }
  if (!changed) return no_change;
  return std::move(edit).finish();
}

}  // namespace strata
