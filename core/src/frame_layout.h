#pragma once

#include <optional>
#include <span>
#include <vector>

#include "memory_layout.h"
#include "wavefront.h"

namespace strata {

/// Where the local values of a frame and the scratch memory of its steps lie in one block of
/// memory. Values that are alive at the same time never overlap, except that an output may
/// overwrite an input of its step, and parts of a whole may lie in it.
class FrameLayout {
 public:
  FrameLayout() = default;
  /// For these sizes, with as many parts in place as possible without taking more memory than
  /// copies would.
  static FrameLayout best(const FrameSizes& sizes, std::span<const FrameStep> steps,
                          std::span<const Wavefront> fronts);

  /// Makes room for sizes that have changed. Returns false if they do not fit.
  bool update(const FrameSizes& sizes, std::span<const FrameStep> steps);

  /// Bytes of the memory.
  std::size_t bytes() const { return bytes_; }
  /// Bytes before a block; `update` may change them.
  std::size_t offset_of(std::size_t block) const { return offsets_[block]; }
  /// The block of a local root value; nothing if no step makes it.
  std::optional<std::size_t> block_of(std::uint32_t value) const { return places_[value].block; }
  /// The block of a step's scratch memory.
  std::size_t scratch_block(std::size_t step) const { return scratch_blocks_[step]; }

 private:
  struct Place {
    std::optional<std::size_t> block;
    std::size_t capacity = 0;  ///< bytes that the block holds
    bool is_shared = false;    ///< other values lie in it, or it lies in another
  };
  /// A block that lies in another, at an offset that depends on the inputs.
  struct DynamicPart {
    std::size_t block;
    std::size_t step;  ///< that joins or splits the whole
    std::size_t part;  ///< of the partition
  };
  class Planner;

  std::vector<Place> places_;  ///< by value
  std::vector<std::size_t> scratch_blocks_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> overwriting_;  ///< values over others
  bool holds_parts_ = false;
  std::vector<DynamicPart> dynamic_parts_;
  std::vector<Lifetime> blocks_;
  std::vector<std::size_t> offsets_;  ///< of the blocks
  std::size_t bytes_ = 0;
};

}  // namespace strata
