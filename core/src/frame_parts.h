#pragma once

#include "frame.h"
#include "node_title.h"
#include "strata/core/workers.h"

/// The inside of a Frame.
namespace strata {

/// The block of a local value that no step makes.
inline constexpr std::size_t kNoBlock = static_cast<std::size_t>(-1);

/// Where a local value that is a root lies.
struct LocalPlace {
  std::size_t block = kNoBlock;
  std::size_t capacity = 0;  ///< bytes that the block holds
  bool is_shared = false;    ///< with other values that lie in it, or that it lies in
};

/// How much sharing the work of a step may lose before it is done alone for a while.
inline constexpr std::chrono::microseconds kStepGain{50};

/// A step of the schedule that does some work.
struct FrameStep {
  enum class Kind : std::uint8_t { kernel, state, eval };
  Kind kind = Kind::kernel;
  const Plan::Schedule::Step* scheduled = nullptr;
  const TypedNode* node = nullptr;
  OpState* state = nullptr;
  std::vector<TensorView> inputs;
  std::vector<MutableTensorView> outputs;
  std::size_t scratch_bytes = 0;
  std::size_t block = 0;         ///< with the scratch memory
  std::vector<Shape> asked_for;  ///< shapes of inputs that the scratch memory is enough for
  SharingGain gain{kStepGain};
  KernelIo io;

  /// How errors name it.
  std::string title() const { return title_of(*node); }
};

/// Which parts of joins and splits lie in place.
enum class Frame::Holding : std::uint8_t {
  none,
  near,  ///< those that are joined soon after they are made
  all,
};

/// A block that lies where its values belong: part of what a step joins from parts or splits into
/// them.
struct HeldBlock {
  std::size_t block;
  std::size_t step;  ///< among the frame's
  std::size_t part;  ///< operand of the join, or output of the split
  bool moves;        ///< whether the step's sizes depend on the inputs
};

/// Scratch memory that a kernel needs for inputs of these shapes.
std::size_t scratch_of(const TypedOp& op, std::span<const TensorView> inputs);

}  // namespace strata
