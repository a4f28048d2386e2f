#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frame_doubts.h"
#include "shape_binding.h"

namespace strata {

/// The sizes of a frame's values for some input shapes. A view is as large as its root, and all
/// sizes are such that kernels may rely on them.
class FrameSizes {
 public:
  explicit FrameSizes(const FrameValues& values);

  /// Whether inputs have the ranks and constant sizes that the model declares; inputs of bodies
  /// have not been checked before.
  bool match_model(std::span<const Shape> inputs) const;
  /// Throws: invalid_argument when one symbol would have two sizes.
  void check_symbols(std::span<const Shape> inputs) { symbols_.bind(inputs); }
  /// Finds all sizes. Returns false if one depends on the data or is too large, or if kernels
  /// cannot rely on them. Throws: as `check_symbols`.
  bool find(std::span<const Shape> inputs);
  /// Updates the dynamic sizes for other inputs, after a `find` that returned true. Returns false
  /// as `find` does, and if sizes have to be found anew. Throws: as `check_symbols`.
  bool update(std::span<const Shape> inputs);
  /// Whether `find` met a size that follows from no input shapes, whatever they are.
  bool depend_on_data() const { return depend_on_data_; }

  /// The sizes of symbols that follow from the last inputs, whatever `find` or `update` returned.
  const SymbolValues& symbols() const { return symbols_.values(); }
  const FrameValues& values() const { return values_; }
  const Shape& shape_of(std::uint32_t value) const { return shapes_[value]; }
  std::size_t bytes_of(std::uint32_t value) const { return bytes_[value]; }
  /// Of all local values together, whether or not they are alive at the same time.
  std::size_t local_bytes() const;
  /// The values whose sizes depend on the inputs.
  std::span<const std::uint32_t> dynamic() const { return dynamic_; }

 private:
  /// An axis whose size is the value of a symbol plus `more`.
  struct DynamicAxis {
    std::uint32_t value;
    std::uint32_t axis;
    const std::int64_t* symbol;
    std::int64_t more;
  };
  /// How to update the dynamic values: axis by axis, or with their whole shape found again.
  struct Updates {
    std::vector<DynamicAxis> axes;
    std::vector<std::uint32_t> others;
  };

  bool is_input(std::uint32_t value) const;
  bool find_shape(std::uint32_t value, std::span<const Shape> inputs);
  std::optional<Shape> inferred_shape(std::uint32_t value);
  bool has_untold_size(const ShapeFact& shape) const;
  bool find_bytes(std::uint32_t value);
  bool is_as_root(std::uint32_t value) const;
  bool add_axes(std::uint32_t value, std::vector<DynamicAxis>& axes) const;
  Updates find_updates() const;
  bool agree() const;

  const FrameValues& values_;
  SymbolBinding symbols_;
  std::vector<Shape> shapes_;
  std::vector<std::size_t> bytes_;
  std::vector<std::uint32_t> dynamic_;
  bool depend_on_data_ = false;
  std::optional<Updates> updates_;            ///< found by the first `update`
  std::optional<std::vector<Doubt>> doubts_;  ///< found by the first `find`
};

}  // namespace strata
