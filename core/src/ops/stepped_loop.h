#pragma once

#include <cstdint>
#include <optional>

#include "ops/body_state.h"

namespace strata {

/// A bound loop whose iterations can be run a few at a time, between other work.
class SteppedLoop : public BodyState {
 public:
  /// Iterations, when the shapes alone tell them.
  virtual std::optional<std::int64_t> fixed_trips() const = 0;
  /// Floating-point operations of one iteration.
  virtual double flops() const = 0;
  /// Whether iteration n reads of this input but row n of the leading axis, from the first on; a
  /// row is the extent over the trips.
  virtual bool scans_rows(std::size_t input) const = 0;
  /// Whether iteration n makes row n of this output, and nothing else of it.
  virtual bool stacks_rows(std::size_t output) const = 0;

  /// `run` is these: `begin`, `advance` over all iterations in order, and `end`. Returns the
  /// iterations there are to be at most, if that is known.
  virtual std::optional<std::int64_t> begin(const KernelIo& io) = 0;
  /// Runs iterations from `from` on, up to `until` where given, or the end. Returns the first that
  /// it did not run.
  virtual std::int64_t advance(RunContext& context, std::int64_t from,
                               std::optional<std::int64_t> until) = 0;
  virtual void end(const KernelIo& io) = 0;
};

}  // namespace strata
