#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frame_sizes.h"
#include "frame_values.h"
#include "memory_layout.h"

namespace strata {

struct FrameStep;
struct HeldBlock;
struct LocalPlace;
class Wavefront;

/// A plan laid out for one set of input shapes: every value is a tensor of known size, those made
/// on the way lie in one block of memory, and only ops without a kernel allocate anything in a run.
///
/// What enters and leaves lies where the caller says (`set_input`, `set_result`). An output is a
/// result, which a step makes, or else an input or a constant that passes through.
class Frame {
 public:
  struct Output {
    enum class Kind : std::uint8_t { result, input, constant };
    Kind kind = Kind::result;
    std::size_t index = 0;  ///< of the result or the input
    const Value* constant = nullptr;
    DatumType dtype = DatumType::f32;
    Shape shape;
    std::size_t bytes = 0;
  };

  /// `states` are those of the plan's steps, and outlive the frame.
  Frame(const Plan& plan, std::span<const std::unique_ptr<OpState>> states);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// Says whether loops may run side by side on the threads of the runs' context; at first they may
  /// not.
  void use_threads(bool is_threaded);

  enum class Room { to_grow, none };

  /// Lays everything out for inputs of these shapes, with room to grow for axes that have grown a
  /// little, unless `room` is none, an input grows along more than two, or it takes much memory;
  /// keeps its memory, and the addresses set, if the sizes fit into
  /// it. Returns whether that can be done: not if the plan has values other than tensors, or sizes
  /// that only the data tell. Throws: invalid_argument when one symbol would have two sizes.
  bool bind(std::span<const Shape> inputs, Room room = Room::to_grow);
  bool is_bound() const { return is_bound_; }
  /// Whether `bind` was last called for these shapes.
  bool was_bound_for(std::span<const Shape> inputs) const;

  // All below refers to the last `bind`, which must have returned true.

  std::span<const Output> outputs() const { return outputs_; }
  /// The input that a result begins with: the step that makes it appends to the input, and copies
  /// none of it where the result is set to lie where the input does.
  std::optional<std::size_t> extended_input(std::size_t result) const;
  /// How many loops run side by side.
  std::size_t loops_side_by_side() const;
  /// Bytes of each result.
  std::span<const std::size_t> results() const { return result_bytes_; }
  /// Bytes of the block that `place` needs, 64-byte aligned.
  std::size_t bytes() const { return bytes_; }
  void place(std::byte* memory);
  /// The block it works in; null until `place`.
  const std::byte* memory() const { return memory_; }
  void set_input(std::size_t input, const std::byte* data);
  void set_result(std::size_t result, std::byte* data);
  /// Where an output lies after a run.
  const std::byte* output_data(std::size_t output) const;
  /// Throws: run_time, limit, cancelled, naming the node.
  void run(RunContext& context);

 private:
  enum class Holding : std::uint8_t;

  std::vector<Shape> with_room(std::span<const Shape> inputs) const;
  bool lay_out_with_room(const std::vector<Shape>& roomy, std::span<const Shape> inputs);
  bool lay_out_for(std::span<const Shape> inputs);
  bool bind_again(std::span<const Shape> inputs);
  std::size_t local_bytes() const;
  bool has_room() const;
  std::optional<std::size_t> scratch_again(FrameStep& step) const;
  bool add_steps();
  void find_fronts();
  bool runs_aside(const FrameStep& step) const;
  std::size_t time_of(const FrameStep& step) const;
  std::optional<std::uint32_t> overwritten(const FrameStep& step) const;
  void hold_parts(std::size_t step, Holding holding);
  bool hold_again();
  void add_blocks(Holding holding);
  MemoryLayout best_layout();
  void lay_out();
  void keep_fronts_apart();
  void connect();
  void read_constants();
  void name_outputs();
  void size_outputs();
  void run_observed(RunContext& context, RunObserver& observer);
  void run_step(RunContext& context, FrameStep& step);
  void run_steps(RunContext& context, std::size_t begin, std::size_t end);
  void eval_step(RunContext& context, FrameStep& step);

  const Plan& plan_;
  const Plan::Schedule& schedule_;
  std::span<const std::unique_ptr<OpState>> states_;
  FrameValues values_;
  FrameSizes sizes_;
  bool is_bound_ = false;
  std::vector<Shape> bound_for_;
  std::vector<LocalPlace> places_;                               ///< of local values
  std::vector<std::pair<Shape*, std::uint32_t>> shapes_;         ///< of views of these values
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shared_;  ///< values written over others
  std::vector<FrameStep> steps_;
  bool is_threaded_ = false;
  std::vector<Wavefront> fronts_;  ///< in order, apart from each other
  std::vector<Output> outputs_;
  std::vector<std::size_t> result_bytes_;
  std::vector<const std::byte*> input_data_;
  std::vector<std::byte*> result_data_;
  /// Views to set with each input, with each result, and with each block of the memory.
  std::vector<std::vector<const std::byte**>> input_views_;
  std::vector<std::vector<const std::byte**>> result_views_;
  std::vector<std::pair<const std::byte**, std::size_t>> placed_views_;
  std::vector<Lifetime> blocks_;      ///< of the memory
  std::vector<std::size_t> offsets_;  ///< of the blocks
  std::vector<HeldBlock> held_;
  /// Views of constants still to be set in a run: those of a branch that is not taken are not
  /// computed.
  std::vector<std::pair<const std::byte**, const Tensor*>> unread_constants_;
  std::size_t bytes_ = 0;
  std::byte* memory_ = nullptr;
};

}  // namespace strata
