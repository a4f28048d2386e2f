#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "frame.h"
#include "interpreter.h"
#include "output_places.h"
#include "specialised_runners.h"
#include "tensor_storage.h"

namespace strata {

/// A block of memory that frames work in, one after the other.
class FrameMemory {
 public:
  /// At least so many bytes; what was there is lost where that takes another block. Throws: limit.
  std::byte* reserve(std::size_t bytes);
  void release() { block_ = nullptr; }

 private:
  std::shared_ptr<detail::Storage> block_;
};

/// Runs one plan again and again: as a frame with all its bodies in it, if the input shapes allow
/// that; else as the frame of the model specialised for these shapes, if there is a better one; else
/// as a frame with bodies of their own, or value by value. Holds the states of the plan's steps.
class Runner final : public StateContext {
 public:
  /// The frame works in `memory`, unless others bind and place it. Runners that never run at the
  /// same time may share it.
  explicit Runner(std::shared_ptr<const Plan> plan,
                  std::shared_ptr<FrameMemory> memory = std::make_shared<FrameMemory>());

  const Plan& plan() const { return *plan_; }
  std::shared_ptr<const Plan> plan_of(const TypedModel& body) override;
  /// Throws: invalid_argument for a value that does not fit its input, or memory that does not fit
  /// its output; run_time, limit, cancelled.
  ValueList run(RunContext& context, Values inputs, OutputMemory memory = {});
  /// Does ahead what a run with inputs of these shapes would do first. Throws: invalid_argument for
  /// a shape that does not fit its input; run_time, limit.
  void prepare(Workers* workers, std::span<const Shape> inputs);
  /// Lets go of the memory that runs work in, also in bodies, and of results that are released.
  void release_memory();

  /// For those who bind, place and run the frame themselves; `run` binds it again if it has to.
  Frame& frame() { return frame_; }
  const Frame& frame() const { return frame_; }
  /// Bytes that the frame works in; 0 while it is not laid out.
  std::size_t frame_bytes() const { return frame_.is_bound() ? frame_.bytes() : 0; }

 private:
  struct Result {
    Tensor tensor;
    std::byte* data = nullptr;  ///< of the tensor, to write
  };

  void check_count(std::size_t inputs) const;
  void check_inputs(Values inputs) const;
  void check_shapes(std::span<const Shape> inputs) const;
  void compute_constants(Workers& workers);
  void note_shapes(Values inputs);
  bool bind_frame();
  bool may_improve() const;
  std::byte* frame_memory();
  bool takes_tensors() const;
  SpecialisedRunners& specialised();
  Runner* specialised_for_shapes();
  Interpreter& interpreter();
  std::byte* fresh_result(const Frame::Output& output);
  std::byte* place_of(std::size_t output, const OutputPlaces& places);
  const Tensor& output_at(std::size_t output, Values inputs);
  ValueList run_frame(RunContext& context, Values inputs, OutputMemory memory);

  std::shared_ptr<const Plan> plan_;
  std::vector<std::unique_ptr<OpState>> states_;
  Frame frame_;
  std::shared_ptr<FrameMemory> memory_;
  std::vector<Result> last_results_;  ///< memory for the next run's results, when it is free
  std::vector<Tensor> lent_;          ///< views of the memory given for results of the last run
  std::vector<Shape> shapes_;         ///< of the inputs that are tensors
  bool has_constants_ = false;        ///< whether threads have computed the deferred constants
  std::optional<Interpreter> interpreter_;
  std::optional<SpecialisedRunners> specialised_;
};

/// A runner of the model, its frame laid out for these input shapes; null if that cannot be done.
std::unique_ptr<Runner> laid_out(TypedModel model, std::span<const Shape> inputs,
                                 const Limits& limits);

}  // namespace strata
