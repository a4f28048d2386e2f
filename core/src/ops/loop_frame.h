#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/stacking.h"
#include "runner.h"

namespace strata {

/// Bytes that are made anew in each iteration and may be carried on: as many copies as keep what an
/// iteration reads apart from what it writes.
class Rotation {
 public:
  Rotation(std::size_t bytes, std::size_t copies, std::size_t offset);
  std::byte* next() {
    at_ = at_ + 1 == copies_ ? 0 : at_ + 1;
    return memory_ + offset_ + at_ * stride_;
  }
  void place(std::byte* memory) { memory_ = memory; }
  /// Where what follows it in memory may begin.
  std::size_t end() const { return offset_ + copies_ * stride_; }

 private:
  std::size_t stride_, copies_, offset_;
  std::size_t at_ = 0;
  std::byte* memory_ = nullptr;
};

/// Like Rotation, in memory of its own that grows geometrically.
class GrowingRotation {
 public:
  explicit GrowingRotation(std::size_t copies) : copies_(copies) {}
  std::size_t copies() const { return copies_.size(); }
  std::byte* next(std::size_t bytes);
  /// The copy given last, when it holds `bytes`; else null.
  std::byte* current(std::size_t bytes);
  /// The copy that lies there, which stays as it is until `drop_lent`; null when there is none.
  std::shared_ptr<MutableTensor> lent(const std::byte* data) const;
  /// Leaves the copies that others hold to them.
  void drop_lent();

 private:
  std::size_t at_ = 0;
  std::vector<std::shared_ptr<MutableTensor>> copies_;
};

/// A stacked output while the loop runs: a whole of known trips, or parts that pile up.
struct StackedOutput {
  std::byte* whole = nullptr;
  std::int64_t trips = 0;
  std::optional<GrowingStack> growing;  ///< when `whole` is null
};

/// A Loop whose body is a frame: its iterations move pointers only. Carried values are
/// double-buffered, scanned rows are read where they lie and stacked ones made in their final
/// place, as far as these are in one piece.
class LoopFrame {
 public:
  /// `body` runs the loop's body, and outlives the frame.
  LoopFrame(const Loop& loop, Runner& body);

  enum class Fit : std::uint8_t {
    none,      ///< the body is no frame
    changing,  ///< a carried value changes its shape: for `run_changing`
    steady,    ///< for `run`
  };
  /// Prepares for entries of these shapes, as far as that can be done.
  Fit bind(std::span<const Shape> entries);
  /// What the last `bind` found.
  Fit fit() const { return fit_; }
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  /// Shape of carried value `k`, and that of the part that stacked output `output` gets.
  const Shape& carried_shape(std::size_t k) const { return carried_shapes_[k]; }
  const Shape& part_shape(std::size_t output) const;
  const StackLayout& layout(std::size_t output) const { return layouts_[output]; }

  /// Takes the entries for the iterations to come, which work in `scratch`.
  void begin(std::span<const std::byte* const> entries, std::byte* scratch);
  /// Runs iterations from `from` on: up to `until` where given, while the condition holds. `trips`
  /// is how many there are to be, where that is known; `stacks` has an entry for each output of the
  /// loop, used for the stacked ones. Returns the first iteration not run. Throws as the body does,
  /// naming the iteration.
  std::int64_t advance(RunContext& context, std::int64_t from, std::optional<std::int64_t> until,
                       std::optional<std::int64_t> trips, std::span<StackedOutput> stacks);
  /// All iterations of a body that is laid out anew where shapes change, in memory of its own. What
  /// a body appends to a carried value is written behind it, in place.
  std::int64_t run_changing(RunContext& context, std::span<const std::byte* const> entries,
                            std::optional<std::int64_t> trips, std::span<StackedOutput> stacks);
  /// The final value of carried `k` after a run.
  TensorView carried(std::size_t k) const;
  /// The same after `run_changing`, in the memory that it has grown in; nothing where it is small
  /// or fills little of that. The next run takes other memory while somebody holds it.
  std::optional<Tensor> lent(std::size_t k) const;
  /// Lets go of memory of its own.
  void release_memory();

 private:
  /// How a scanned entry's slice is found in it.
  struct Scan {
    std::size_t entry = 0;
    bool reversed = false;
    std::size_t outer = 1;        ///< pieces a slice lies in
    std::size_t slice_bytes = 0;  ///< of one piece
    std::size_t row_bytes = 0;    ///< from piece to piece
    const std::byte* data = nullptr;
    std::optional<Rotation> gathered;  ///< for slices in several pieces
  };
  void find_scans();
  bool is_passed_on(std::size_t body_input) const;
  std::size_t copies_of(std::size_t result) const;
  void find_layouts();
  bool is_one(std::size_t k) const;
  bool is_placeable() const;
  bool is_steady() const;
  void plan_memory();
  void place(std::byte* scratch);
  void take(std::span<const std::byte* const> entries);
  void prepare_growing();
  void bind_changed();
  std::byte* changing_result(std::size_t result);
  void set_inputs(std::int64_t n, std::optional<std::int64_t> trips);
  /// Where a result is made in its stack; null when it is not.
  std::byte* place_in_stack(std::size_t result, std::int64_t n,
                            std::span<const StackedOutput> stacks) const;
  void collect(std::int64_t n, std::span<StackedOutput> stacks);
  bool goes_on() const;
  bool is_stacked(std::size_t output) const {
    return loop_.outputs[output].kind == LoopOutput::Kind::stacked;
  }
  std::size_t body_input(std::size_t entry) const { return entry + loop_.numbered; }

  const Loop& loop_;
  Runner& body_;
  std::vector<std::size_t> carried_entries_;
  Fit fit_ = Fit::none;
  std::vector<Shape> entry_shapes_, body_shapes_;
  std::vector<Scan> scans_;
  std::vector<StackLayout> layouts_;                ///< one for each output of the loop
  std::vector<std::optional<std::size_t>> direct_;  ///< of each result: the stack it is made in
  std::optional<Rotation> number_;
  std::vector<Rotation> results_;
  std::vector<const std::byte*> current_, next_;  ///< carried values
  std::vector<Shape> carried_shapes_;
  std::vector<Shape> part_shapes_;  ///< of stacked outputs in the iteration before
  std::size_t passed_on_ = 0;       ///< carried values that are inputs of the body
  std::size_t scratch_bytes_ = 0;
  const std::byte* placed_ = nullptr;  ///< the scratch memory that the rotations lie in
  std::vector<GrowingRotation> growing_results_;
  std::vector<std::optional<std::size_t>>
      extended_;  ///< of each result: the carried value it extends
  std::shared_ptr<MutableTensor> frame_memory_;
  std::shared_ptr<MutableTensor> changing_scratch_;  ///< a carried value may lie in it after a run
};

}  // namespace strata
