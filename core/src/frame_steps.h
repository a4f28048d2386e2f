#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frame_sizes.h"
#include "node_title.h"
#include "strata/core/workers.h"

namespace strata {

/// How much time sharing the work of a step may lose before it is done alone for a while.
inline constexpr std::chrono::microseconds kStepGain{50};

/// A step of the schedule that does some work, with all that is needed to run it.
struct FrameStep {
  enum class Kind : std::uint8_t { kernel, state, eval };
  Kind kind = Kind::kernel;
  std::size_t time = 0;  ///< its place in the schedule, as lifetimes count
  const Plan::Schedule::Step* scheduled = nullptr;
  const TypedNode* node = nullptr;
  OpState* state = nullptr;
  std::vector<TensorView> inputs;
  std::vector<MutableTensorView> outputs;
  std::vector<const Value*> constants;  ///< of an `eval`: its constant inputs, null for the others
  std::size_t scratch_bytes = 0;
  std::vector<Shape> asked_for;  ///< input shapes that the scratch memory is known to suffice for
  SharingGain gain{kStepGain};
  KernelIo io;

  /// How errors name it.
  std::string title() const { return title_of(*node); }
};

/// The steps of the schedule without views, for values of these sizes; their addresses are still to
/// be set. `states` are those of the schedule's steps. Nothing if one needs more scratch memory
/// than a tensor may have.
std::optional<std::vector<FrameStep>> steps_of(const FrameSizes& sizes,
                                               std::span<const std::unique_ptr<OpState>> states);

/// Scratch memory of all steps together, after input shapes have changed; nothing if one needs more
/// than it has, or if that cannot be known.
std::optional<std::size_t> scratch_again(std::span<FrameStep> steps);

}  // namespace strata
