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

/// A stacked output while the loop runs: a whole of known trips, or parts that pile up.
struct StackedOutput {
  std::byte* whole = nullptr;
  std::int64_t trips = 0;
  std::optional<GrowingStack> growing;  ///< when `whole` is null
};

/// A Loop whose body is a frame: its iterations move pointers only. Carried values are double-buffered,
/// scanned rows are read where they lie and stacked ones made in their final place, as far as these
/// are in one piece.
class LoopFrame {
 public:
  /// `body` runs the loop's body, and outlives the frame.
  LoopFrame(const Loop& loop, Runner& body);

  /// Prepares for entries of these shapes. Returns whether that can be done; when not, the body is
  /// no frame, or a carried value changes its shape.
  bool bind(std::span<const Shape> entries);
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  /// Shape of carried value `k`, and that of the part that stacked output `output` gets.
  const Shape& carried_shape(std::size_t k) const { return body_.frame().outputs()[k].shape; }
  const Shape& part_shape(std::size_t output) const;
  const StackLayout& layout(std::size_t output) const { return layouts_[output]; }

  /// Runs at most `trips` iterations, where given; `stacks` has an entry for each output of the loop,
  /// used for the stacked ones. Returns the iterations done. Throws as the body does, naming the
  /// iteration.
  std::int64_t run(RunContext& context, std::span<const std::byte* const> entries,
                   std::optional<std::int64_t> trips, std::span<StackedOutput> stacks,
                   std::byte* scratch);
  /// The final value of carried `k` after a run.
  const std::byte* carried(std::size_t k) const { return current_[k]; }

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
  bool is_steady() const;
  void plan_memory();
  void place(std::byte* scratch);
  void set_inputs(std::int64_t n, std::optional<std::int64_t> trips);
  void set_results(std::int64_t n, std::span<StackedOutput> stacks);
  void collect(std::int64_t n, std::span<StackedOutput> stacks);
  bool goes_on() const;
  std::size_t body_input(std::size_t entry) const { return entry + loop_.numbered; }

  const Loop& loop_;
  Runner& body_;
  std::vector<std::size_t> carried_entries_;
  bool is_ready_ = false;
  std::vector<Shape> entry_shapes_, body_shapes_;
  std::vector<Scan> scans_;
  std::vector<StackLayout> layouts_;                ///< one for each output of the loop
  std::vector<std::optional<std::size_t>> direct_;  ///< of each result: the stack it is made in
  std::optional<Rotation> number_;
  std::vector<Rotation> results_;
  std::vector<const std::byte*> current_, next_;  ///< carried values
  std::size_t passed_on_ = 0;                     ///< carried values that are inputs of the body
  std::size_t scratch_bytes_ = 0;
};

}  // namespace strata
