#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frame_arguments.h"
#include "frame_run.h"

namespace strata {

/// A plan laid out for one set of input shapes: every value is a tensor of known size, intermediate
/// values lie in one block of memory, and only ops without a kernel allocate anything in a run.
///
/// Its parts are brought up to date in this order, and each depends on those before it only:
///
///   FrameValues     in which storage each value lies
///   FrameSizes      how large it is
///   FrameStep       what is to be run
///   FrameLayout     where in the memory local values lie
///   FrameArguments  the addresses that steps are given
///
/// Inputs and results lie where the caller says (`set_input`, `set_result`). An output is a result,
/// which a step makes, or else an input or a constant that is passed through.
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

  /// Whether loops may run side by side on the threads of the runs' context (not by default).
  void use_threads(bool is_threaded);

  enum class Room { to_grow, none };

  /// Lays everything out for these input shapes, or only updates the sizes if they fit into the
  /// layout there is, which keeps its memory and addresses. Leaves room for axes that have grown a
  /// little, unless `room` is none, an input has grown along more than two axes, or that takes much
  /// memory. Returns false if the plan has values other than tensors, or sizes that depend on the
  /// data. Throws: invalid_argument if one symbol would have two sizes.
  bool bind(std::span<const Shape> inputs, Room room = Room::to_grow);
  bool is_bound() const { return is_bound_; }
  /// The sizes of symbols that follow from the inputs of the last `bind`, whatever it returned.
  const SymbolValues& symbols() const { return sizes_.symbols(); }
  /// Whether `bind` was last called for these shapes.
  bool was_bound_for(std::span<const Shape> inputs) const {
    return std::ranges::equal(inputs, bound_for_);
  }

  // What follows refers to the last `bind`, which must have returned true.

  std::span<const Output> outputs() const { return outputs_; }
  /// The input that a result begins with: the step that makes it appends to the input, which is not
  /// copied if the result is set to lie where the input does.
  std::optional<std::size_t> extended_input(std::size_t result) const;
  /// Whether there are bodies that have no place in it, such as those of loops whose values grow.
  bool has_free_bodies() const { return has_free_bodies_; }
  /// How many loops run side by side.
  std::size_t loops_side_by_side() const;
  /// Bytes of each result.
  std::span<const std::size_t> results() const { return result_bytes_; }
  /// Bytes of the block that `place` needs, 64-byte aligned.
  std::size_t bytes() const { return layout_.bytes(); }
  void place(std::byte* memory);
  /// The block it works in; null until `place`.
  const std::byte* memory() const { return memory_; }
  void set_input(std::size_t input, const std::byte* data) { arguments_.set_input(input, data); }
  void set_result(std::size_t result, std::byte* data) { arguments_.set_result(result, data); }
  /// Where an output lies after a run.
  const std::byte* output_data(std::size_t output) const;
  /// Throws: run_time, limit, cancelled, naming the node.
  void run(RunContext& context) {
    arguments_.read_constants();
    run_steps(context, steps_, fronts_);
  }

 private:
  bool lay_out_with_room(const std::vector<Shape>& roomy, std::span<const Shape> inputs);
  bool lay_out_for(std::span<const Shape> inputs);
  bool bind_again(std::span<const Shape> inputs);
  void find_outputs();

  const FrameValues values_;
  FrameSizes sizes_;
  std::span<const std::unique_ptr<OpState>> states_;
  bool is_threaded_ = false;
  bool is_bound_ = false;
  bool has_free_bodies_ = false;
  std::vector<Shape> bound_for_;
  std::vector<FrameStep> steps_;
  std::vector<Wavefront> fronts_;
  FrameLayout layout_;
  FrameArguments arguments_;
  std::vector<Output> outputs_;
  std::vector<std::size_t> result_bytes_;
  std::byte* memory_ = nullptr;
};

}  // namespace strata
