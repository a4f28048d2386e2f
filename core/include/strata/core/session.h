#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/limits.h"
#include "strata/core/op_state.h"
#include "strata/core/run_observer.h"
#include "strata/core/typed_model.h"

namespace strata {

class Workers;

/// A model made ready to run: the order of its nodes, when each value dies, and the plans of its
/// bodies. Immutable; any number of sessions and threads share one.
class Plan {
 public:
  /// Throws: limit when bodies nest deeper than `limits.nesting`.
  static std::shared_ptr<const Plan> build(std::shared_ptr<const TypedModel> model,
                                           const Limits& limits = {});
  static std::shared_ptr<const Plan> build(TypedModel model, const Limits& limits = {}) {
    return build(std::make_shared<const TypedModel>(std::move(model)), limits);
  }
  ~Plan();

  const TypedModel& model() const { return *model_; }
  const Limits& limits() const { return limits_; }

  struct Schedule;
  const Schedule& schedule() const { return *schedule_; }

 private:
  Plan();
  std::shared_ptr<const TypedModel> model_;
  Limits limits_;
  std::unique_ptr<const Schedule> schedule_;
};

struct SessionOptions {
  std::size_t threads = 1;  ///< that share the work of one run, the caller's included; 1 to 1024
  /// Notified of each node that runs; outlives the session. Nodes then run one after another, even
  /// loops stacked on each other, which otherwise share the threads.
  RunObserver* observer = nullptr;
  /// Numbers nearer to zero than the least normal one (2^-126 in f32) count as zero, in operands
  /// and results. Otherwise values that fade away, such as the states of a recurrent net in
  /// silence, make a run many times slower.
  bool denormals_as_zero = false;
  /// Threads to share with other sessions, instead of starting any; `threads` is then ignored. The
  /// session keeps a copy.
  const Workers* workers = nullptr;
};

/// The caller's memory for each output of a run, in order; an empty span where the session is to
/// allocate the output.
using OutputMemory = std::span<const std::span<std::byte>>;

/// One caller's state: memory for intermediate values and the states of stateful ops. Not to be
/// used by two threads at once.
class Session {
 public:
  explicit Session(std::shared_ptr<const Plan> plan, SessionOptions options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// Takes values for the graph inputs, in order, and returns those of the graph outputs. What is
  /// taken from the result by reference (`run(…)[0].tensor().as<float>()`) lives as long as the
  /// result. Once a static model has run, running it again allocates nothing in lowered ops, and an
  /// output that the caller has released is written into the same memory again. Throws:
  /// invalid_argument for a value that does not fit its input; run_time, limit, cancelled.
  ValueList run(Values inputs);
  /// The same, with outputs written to the caller's memory, of which the tensors returned are
  /// views. A span may be larger than its output. An input may lie in it, such as the state before
  /// the one that is computed: it is overwritten once nothing reads it, and a cache that rows are
  /// appended to keeps its rows where they are. Throws also: invalid_argument for memory that is
  /// too small, is not aligned for the type, overlaps another output's, or is given for strings or
  /// for a value other than a tensor.
  ValueList run(Values inputs, OutputMemory memory);
  /// The same within the budget of an outer run.
  ValueList run(RunContext& context, Values inputs);

  /// Prepares for inputs of these shapes, in order; shapes for values other than tensors are
  /// ignored. Does now what a first run would do besides its work: planning, as far as sizes follow
  /// from the shapes; taking memory for all but the outputs; bringing weights into the order that
  /// kernels read; and starting threads. Throws: invalid_argument for a shape that does not fit its
  /// input; run_time, limit.
  void prepare(std::span<const Shape> inputs);
  /// Frees the memory that runs work in, and that of outputs which the caller has released. The
  /// next run takes it again, but need not plan again.
  void release_memory();

  /// Lets another thread stop the current run or, if there is none, the next one; later runs are
  /// not affected.
  CancelToken& cancel_token();
  /// The bytes in which the last run kept its intermediate values; 0 when their sizes were unknown.
  std::size_t arena_bytes() const;

 private:
  struct State;
  /// Throws: invalid_argument if the session was moved from.
  State& state() const;
  std::unique_ptr<State> state_;
};

/// Plans `model` as it is and runs it once; decluttering is left to the caller.
ValueList run_model(const TypedModel& model, Values inputs, const Limits& limits = {});

}  // namespace strata
