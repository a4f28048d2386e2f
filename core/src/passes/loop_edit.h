#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/body_draft.h"
#include "passes/input_places.h"
#include "strata/core/ops/loop.h"
#include "strata/core/patch.h"
#include "strata/core/typed_model.h"

namespace strata {

/// `Loop::trip_count` of a node.
std::optional<Dim> trips_of(const NodeView& node, const Loop& loop);
/// Whether an input of this shape surely has exactly one slice for each of `trips`; a rest shorter
/// than a slice does not count.
bool has_a_slice_each(const ShapeFact& scanned, const LoopInput& scan, const Dim& trips);
/// The rows of `data` from `begin` on that one iteration reads.
OutletId slice_at(Patch& patch, const std::string& name, OutletId data, const LoopInput& scan,
                  std::int64_t begin);

/// A Loop that a rule examines, with changes to its inputs and outputs. Changes are noted, and made
/// by a LoopDraft in the end. Entries are numbered as in `Loop::inputs`.
class LoopEdit {
 public:
  LoopEdit(const NodeView& node, const Loop& loop);

  const TypedModel& body() const { return *body_; }
  OutletId outer(std::size_t entry) const {
    return entry < old_entries_ ? node_.input(entry + loop_.has_trip_count)
                                : added_[entry - old_entries_];
  }
  const Fact& outer_fact(std::size_t entry) const { return patch_.fact_of(outer(entry)); }
  /// The wire of the body by which an entry comes in.
  OutletId source(std::size_t entry) const { return body().inputs()[entry + loop_.numbered]; }
  /// The wire of the body that is the next value of carried value `k`.
  OutletId next(std::size_t k) const { return body().outputs()[k].outlet; }
  bool is_read(std::size_t output) const;
  /// The entry whose source is this wire of the body.
  std::optional<std::size_t> entry_of(OutletId wire) const;
  /// Whether a wire of the body is an invariant entry.
  bool is_invariant(OutletId wire) const;
  /// An invariant or a constant of the body as a wire outside; nothing for other wires.
  std::optional<OutletId> outside(OutletId wire);
  /// Takes the nodes put before the loop.
  Patch& patch() { return patch_; }

  /// Drops the entry, which nothing that stays in the body reads.
  void drop_entry(std::size_t entry) { dropped_entries_.push_back(entry); }
  void drop_output(std::size_t output) { dropped_outputs_.push_back(output); }
  /// The entry has this value in every iteration: it becomes a constant, no longer an entry.
  void make_constant(std::size_t entry, const Value& value);
  /// A carried entry keeps the value it has before the first iteration.
  void make_invariant(std::size_t entry);
  /// A new entry, not a carried one, that brings `outer` in. Returns its wire in the body, whose
  /// fact is `fact`.
  OutletId add_entry(const LoopInput& input, OutletId outer, std::string_view name,
                     const Fact& fact);
  TypedModel& changed_body() { return body_.changed(); }
  void drop_condition() { changed_loop().condition.reset(); }
  /// The body, which does not read it, no longer gets the number of the iteration.
  void drop_number() { is_number_kept_ = false; }

  /// The changed loop. Outputs for the last value of an entry that is no longer carried get its
  /// initial value.
  Patch finish() &&;

 private:
  const Loop& loop() const { return changed_loop_ ? *changed_loop_ : loop_; }
  Loop& changed_loop() {
    if (!changed_loop_) changed_loop_ = loop_;
    return *changed_loop_;
  }

  NodeView node_;
  const Loop& loop_;                  ///< as it was
  std::optional<Loop> changed_loop_;  ///< made on the first change; most rules make none
  Patch patch_;
  std::size_t old_entries_;
  OutletIds added_;                              ///< outer wires of the new entries
  std::map<std::uint32_t, OutletId> constants_;  ///< copies, outside, of the body's constants
  BodyDraft body_;
  bool is_number_kept_ = true;
  std::vector<std::size_t> dropped_entries_;
  std::vector<std::size_t> dropped_outputs_;
  mutable std::optional<InputPlaces> places_;  ///< of the body's inputs, once they are asked for
};

}  // namespace strata
