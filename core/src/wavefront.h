#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "frame_steps.h"

namespace strata {

/// Steps of a frame that run side by side: loops, each scanning rows that the one before it stacks,
/// and the kernels between them, which work row by row. A loop works some iterations behind the one
/// before it, on another thread.
class Wavefront {
 public:
  /// Runs the step of this number as it is, naming it in errors.
  using RunStep = std::function<void(RunContext& context, std::size_t step)>;

  /// All that are worth the threads, in order and apart from each other.
  static std::vector<Wavefront> find_all(std::span<const FrameStep> steps,
                                         const FrameValues& values);

  /// The range of steps that `run` runs: all of these.
  std::size_t first() const { return stages_.front().loop; }
  std::size_t last() const { return stages_.back().loop; }
  std::size_t loops() const { return stages_.size(); }

  /// Throws: as the steps do, naming the step.
  void run(RunContext& context, std::span<FrameStep> steps, const RunStep& run_step) const;

 private:
  struct Stage {
    std::size_t loop = 0;           ///< the step
    std::vector<std::size_t> rows;  ///< steps that make what it scans, in order
  };
  class Finder;
  class Pipeline;

  std::vector<Stage> stages_;
  std::vector<std::size_t> before_, after_;  ///< the other steps of the range
  std::int64_t trips_ = 0;
};

/// Which inputs a kernel reads row by row of the leading axis, to make row by row of its only
/// output; it reads the others whole. Nothing for a kernel of another kind.
std::optional<std::vector<bool>> row_inputs(const FrameStep& step);

}  // namespace strata
