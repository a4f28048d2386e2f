#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "passes/body_draft.h"
#include "strata/core/ops/loop.h"
#include "strata/core/patch.h"
#include "strata/core/typed_model.h"

namespace strata {

/// Loop::trip_count of a node.
std::optional<Dim> trips_of(const NodeView& node, const Loop& loop);

/// A Loop of which some inputs and outputs change or go; entries count `Loop::inputs`.
class LoopEdit {
 public:
  LoopEdit(const NodeView& node, const Loop& loop);

  const TypedModel& body() const { return *body_; }
  OutletId outer(std::size_t entry) const {
    return entry < old_entries_ ? node_.input(entry + loop_.has_trip_count)
                                : added_[entry - old_entries_];
  }
  const Fact& outer_fact(std::size_t entry) const { return patch_.fact_of(outer(entry)); }
  /// The wire of the body that an entry comes in by.
  OutletId source(std::size_t entry) const { return body().inputs()[entry + loop_.numbered]; }
  /// The wire of the body that carried value `k` goes on as.
  OutletId next(std::size_t k) const { return body().outputs()[k].outlet; }
  bool is_read(std::size_t output) const;
  /// The entry that a wire of the body is the source of.
  std::optional<std::size_t> entry_of(OutletId wire) const;
  /// Whether a wire of the body is an invariant entry.
  bool is_invariant(OutletId wire) const;
  /// An invariant or a constant of the body as a wire outside; nothing for other wires.
  std::optional<OutletId> outside(OutletId wire);
  /// Where nodes before the loop are put.
  Patch& patch() { return patch_; }

  /// The entry, which nothing of what stays in the body reads, goes.
  void drop_entry(std::size_t entry) { dropped_entries_.push_back(entry); }
  void drop_output(std::size_t output) { dropped_outputs_.push_back(output); }
  /// The entry is this value in every iteration, and no entry any more.
  void make_constant(std::size_t entry, const Value& value);
  /// A carried entry stays as it is before the first iteration.
  void make_invariant(std::size_t entry);
  /// A new entry, no carried one, that brings `outer` in. Returns its wire of the body, whose fact
  /// is `fact`.
  OutletId add_entry(const LoopInput& input, OutletId outer, std::string_view name,
                     const Fact& fact);
  TypedModel& changed_body() { return body_.changed(); }
  void drop_condition() { changed_loop().condition.reset(); }
  /// The body, which does not read it, is not told the number of the iteration.
  void drop_number() { is_number_kept_ = false; }

  /// The loop as it is now. Outputs that gave the last value of a carried entry that is none any
  /// more give what it is before the first iteration.
  Patch finish() &&;

 private:
  /// What of the entries `carried` at first those that stay carried are numbered, by what they were.
  std::map<std::int64_t, std::int64_t> numbers_of(const std::vector<std::size_t>& carried) const;
  /// Gives `taken` and the body the inputs that stay. Returns the outer wires.
  OutletIds take_entries(Loop& taken);

  const Loop& loop() const { return changed_loop_ ? *changed_loop_ : loop_; }
  Loop& changed_loop() {
    if (!changed_loop_) changed_loop_ = loop_;
    return *changed_loop_;
  }

  NodeView node_;
  const Loop& loop_;                  ///< as it was
  std::optional<Loop> changed_loop_;  ///< since the first change: most rules that look find nothing
  Patch patch_;
  std::size_t old_entries_;
  OutletIds added_;                              ///< outer wires of the new entries
  std::map<std::uint32_t, OutletId> constants_;  ///< copies outside of constants of the body
  BodyDraft body_;
  bool is_number_kept_ = true;
  std::vector<std::size_t> dropped_entries_;
  std::vector<std::size_t> dropped_outputs_;
};

}  // namespace strata
