#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frame_doubts.h"
#include "shape_binding.h"

namespace strata {

/// How large the values of a frame are for inputs of some shapes: a view as large as its root, and
/// all as kernels rely on.
class FrameSizes {
 public:
  explicit FrameSizes(const FrameValues& values);

  /// Whether inputs have the ranks and constant sizes that the model says: bodies are given what
  /// they are without a check of their own.
  bool are_as_promised(std::span<const Shape> inputs) const;
  /// Throws: invalid_argument when one symbol would have two sizes.
  void check_symbols(std::span<const Shape> inputs) { symbols_.bind(inputs); }
  /// Finds all sizes. Returns false when only the data tell them, they may not be so large, or
  /// kernels may not rely on them. Throws: as `check_symbols`.
  bool find(std::span<const Shape> inputs);
  /// Gives the values that move their sizes for other inputs, after a `find` that returned true.
  /// Returns false as `find` does, and where only that can tell. Throws: as `check_symbols`.
  bool move(std::span<const Shape> inputs);

  /// The sizes that the inputs last given tell, whatever came of it.
  const SymbolValues& symbols() const { return symbols_.values(); }
  const FrameValues& values() const { return values_; }
  const Shape& shape_of(std::uint32_t value) const { return shapes_[value]; }
  std::size_t bytes_of(std::uint32_t value) const { return bytes_[value]; }
  /// Of all local values together, whether or not they are alive at the same time.
  std::size_t local_bytes() const;
  /// The values whose sizes depend on the inputs.
  std::span<const std::uint32_t> moving() const { return moving_; }

 private:
  /// An axis whose size is the value of a symbol plus `more`.
  struct MovingAxis {
    std::uint32_t value;
    std::uint32_t axis;
    const std::int64_t* symbol;
    std::int64_t more;
  };
  /// How the values that move do so.
  struct Moves {
    std::vector<MovingAxis> axes;      ///< all that move, of values that move in no other way
    std::vector<std::uint32_t> other;  ///< values that move in other ways
  };

  bool is_input(std::uint32_t value) const;
  bool find_shape(std::uint32_t value, std::span<const Shape> inputs);
  std::optional<Shape> inferred_shape(std::uint32_t value);
  bool find_bytes(std::uint32_t value);
  bool is_as_root(std::uint32_t value) const;
  bool add_axes(std::uint32_t value, std::vector<MovingAxis>& axes) const;
  Moves find_moves() const;
  bool agree() const;

  const FrameValues& values_;
  SymbolBinding symbols_;
  std::vector<Shape> shapes_;
  std::vector<std::size_t> bytes_;
  std::vector<std::uint32_t> moving_;
  std::optional<Moves> moves_;                ///< found when values first move
  std::optional<std::vector<Doubt>> doubts_;  ///< found when sizes are first
};

}  // namespace strata
