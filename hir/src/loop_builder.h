#pragma once

#include <string_view>
#include <vector>

#include "strata/core/ops/loop.h"
#include "strata/hir/builder.h"

namespace strata::hir {

/// Whether a loop takes slices from the front on or from the end on.
enum class LoopOrder { from_front, from_end };

/// Puts a Loop together: the inputs first, which come as wires of the body, then the body, then
/// what it gives.
class LoopBuilder {
 public:
  explicit LoopBuilder(Builder& outer);
  LoopBuilder(const LoopBuilder&) = delete;
  LoopBuilder& operator=(const LoopBuilder&) = delete;

  /// Runs it as often as `count`, one integer, says.
  void trips(OutletId count);
  /// Where the nodes of the body go.
  Builder& body() { return body_; }
  /// The same value in every iteration; a constant becomes one of the body.
  OutletId invariant(std::string_view name, OutletId outer);
  /// A value that each iteration passes on to the next; `fact` holds in all of them.
  OutletId carried(std::string_view name, OutletId initial, const Fact& fact);
  /// One slice an iteration, without the axis.
  OutletId scanned(std::string_view name, OutletId outer, std::int64_t axis, LoopOrder order);
  /// The number of the iteration, an i64 scalar; asked for once.
  OutletId iteration();

  /// The loop, when the carried values go on as `next` in the order they were added. Its outputs
  /// are their last values, then each of `stacked`: `part`s of extent 1 along `axis`, joined.
  struct Stacked {
    OutletId part;
    std::int64_t axis = 0;
    LoopOrder order = LoopOrder::from_front;
  };
  OutletIds wire(const OutletIds& next, const std::vector<Stacked>& stacked);

 private:
  OutletId source(std::string_view name, const Fact& fact);

  Builder& outer_;
  TypedModel model_;
  Builder body_;
  strata::Loop loop_;
  OutletIds wires_;
  OutletId iteration_;
};

}  // namespace strata::hir
