#pragma once

#include <optional>
#include <string>
#include <vector>

#include "passes/body_draft.h"
#include "strata/core/ops/loop.h"
#include "strata/core/patch.h"
#include "strata/core/typed_model.h"

namespace strata {

/// A Loop taken apart into wires, to be changed and put together again. The wires `source`, `next`,
/// `part` and `number` are those of `body`, the others those of the model the loop is in.
struct LoopDraft {
  /// What comes in.
  struct Entry {
    LoopInput input;
    OutletId outer;
    OutletId source;
    GraphOutput next;         ///< of a carried entry, its next value
    bool is_dropped = false;  ///< it is not wired; nothing in the body may read it
  };
  /// What goes out.
  struct Result {
    LoopOutput output;      ///< its index does not matter
    std::size_t entry = 0;  ///< of a last value, the entry
    GraphOutput part;       ///< of a stack, what each iteration adds
    OutletId replaces;      ///< the wire whose readers read this result instead
    bool is_dropped = false;
  };

  LoopDraft(const NodeView& node, const Loop& loop) : LoopDraft(node, loop, BodyDraft(loop.body)) {}
  /// A draft of the loop as it is, but with a changed body, which may have more inputs or compute
  /// its outputs in another way.
  LoopDraft(const NodeView& node, const Loop& loop, BodyDraft changed_body);

  /// The entries of the kind, in order.
  std::vector<std::size_t> carried() const;
  /// How many entries and results take the wire of the body as their output.
  std::size_t uses_as_output(OutletId wire) const;
  /// An entry that brings `outer` into the body: a new one, or an equal one that is there. Returns
  /// its number.
  std::size_t add_entry(const LoopInput& input, OutletId outer, const std::string& name,
                        const Fact& fact);
  /// The wire of the body that holds the number of the iteration.
  OutletId numbered_wire();
  /// Whether a number of trips may take the place of the condition. All parts of a stack must then
  /// have the same extent, and where slices are taken backward, the number tells the first one.
  bool may_end_by_count() const;
  /// Lets it end after `trips`, an i64, or after its trip count if that is less, and no longer by its
  /// condition.
  void end_by_count(Patch& patch, OutletId trips);
  /// Wires the loop. Returns the wire of each result, `kAbsent` for dropped ones.
  OutletIds wire_into(Patch& patch) &&;
  /// The patch with the loop wired, and its results read in place of the wires they replace.
  Patch finish(Patch patch) &&;

  BodyDraft body;
  OutletId trip_count;  ///< absent where there is none
  OutletId number;      ///< absent where the body is not told the number of the iteration
  std::optional<std::size_t> condition;  ///< the entry
  std::vector<Entry> entries;
  std::vector<Result> results;
};

/// Whether the facts show that the loop runs its body at least once.
bool runs_surely(const NodeView& node, const Loop& loop);

/// The dims of a shape except that of `axis`.
std::vector<Dim> dims_but(const ShapeFact& shape, std::size_t axis);

}  // namespace strata
