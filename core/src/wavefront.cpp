#include "wavefront.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "alignment.h"
#include "memory_account.h"
#include "ops/stepped_loop.h"
#include "strata/core/ops/support.h"
#include "strata/core/workers.h"
#include "tensor_storage.h"

namespace strata {
namespace {

/// Iterations that a stage does before those after it may go on. Fewer would let them begin
/// earlier, but have less work between two waits, and products of fewer rows.
std::int64_t chunk_of(std::int64_t trips) { return std::clamp<std::int64_t>(trips / 8, 4, 32); }

constexpr std::int64_t kFewestTrips = 16;  ///< fewer are not even four chunks
constexpr double kLeastFlops = 2e6;        ///< of all iterations of a loop: about 0.1 ms of work

/// The loop that a step runs, when it can be run a few iterations at a time.
SteppedLoop* loop_of(const FrameStep& step) {
  return step.kind == FrameStep::Kind::state ? dynamic_cast<SteppedLoop*>(step.state) : nullptr;
}

/// What a step that reads a value waits for.
enum class Made : std::uint8_t {
  before,  ///< nothing in the range
  rows,    ///< rows, while a loop of the range goes on
  whole,   ///< a loop's end
};

}  // namespace

/// Sorts the steps after a loop by what they depend on.
class Wavefront::Finder {
 public:
  Finder(std::span<const FrameStep> steps, const FrameValues& values)
      : steps_(steps), values_(values) {}

  std::optional<Wavefront> find(std::size_t first) {
    const SteppedLoop* loop = loop_of(steps_[first]);
    if (!loop || !is_worth(*loop)) return std::nullopt;
    Wavefront found;
    found.trips_ = trips_ = *loop->fixed_trips();
    found.stages_.push_back({first, {}});
    note_loop_outputs(first);
    std::vector<std::size_t> before, after, rows;
    for (std::size_t s = first + 1; s < steps_.size(); ++s) {
      switch (waits_for(s)) {
        case Made::before:
          before.push_back(s);
          break;
        case Made::whole:
          after.push_back(s);
          note_outputs(s, Made::whole);
          break;
        case Made::rows:
          if (loop_of(steps_[s])) {
            found.stages_.push_back({s, std::exchange(rows, {})});
            found.before_ = before;
            found.after_ = after;
            note_loop_outputs(s);
          } else {
            rows.push_back(s);
            note_outputs(s, Made::rows);
          }
      }
    }
    if (found.stages_.size() < 2) return std::nullopt;
    return found;
  }

 private:
  bool is_worth(const SteppedLoop& loop) const {
    const auto trips = loop.fixed_trips();
    return trips && *trips >= kFewestTrips &&
           loop.flops() * static_cast<double>(*trips) >= kLeastFlops;
  }

  Made made(std::uint32_t value) const {
    const auto at = made_.find(values_[value].root);
    return at == made_.end() ? Made::before : at->second;
  }
  void note(std::uint32_t value, Made how) { made_[values_[value].root] = how; }
  void note_outputs(std::size_t s, Made how) {
    for (const std::uint32_t value : steps_[s].scheduled->outputs) note(value, how);
  }
  void note_loop_outputs(std::size_t s) {
    const SteppedLoop& loop = *loop_of(steps_[s]);
    const auto& outputs = steps_[s].scheduled->outputs;
    for (std::size_t o = 0; o < outputs.size(); ++o)
      note(outputs[o], loop.stacks_rows(o) ? Made::rows : Made::whole);
  }

  bool has_rows(const Shape& shape) const { return !shape.empty() && shape[0] % trips_ == 0; }

  Made waits_for(std::size_t s) const {
    const FrameStep& step = steps_[s];
    const auto& values = step.scheduled->inputs;
    Made latest = Made::before;
    for (const std::uint32_t value : values) latest = std::max(latest, made(value));
    if (latest != Made::rows) return latest;
    if (const SteppedLoop* loop = loop_of(step)) {
      if (!is_worth(*loop) || loop->fixed_trips() != trips_) return Made::whole;
      for (std::size_t i = 0; i < values.size(); ++i)
        if (made(values[i]) == Made::rows &&
            (!loop->scans_rows(i) || !has_rows(step.inputs[i].shape)))
          return Made::whole;
      return Made::rows;
    }
    const auto rows = step.kind == FrameStep::Kind::kernel ? row_inputs(step) : std::nullopt;
    if (!rows || !has_rows(step.outputs[0].shape)) return Made::whole;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (made(values[i]) == Made::rows && !(*rows)[i]) return Made::whole;
    return Made::rows;
  }

  std::span<const FrameStep> steps_;
  const FrameValues& values_;
  std::int64_t trips_ = 0;
  std::map<std::uint32_t, Made> made_;  ///< by root
};

std::vector<Wavefront> Wavefront::find_all(std::span<const FrameStep> steps,
                                           const FrameValues& values) {
  std::vector<Wavefront> fronts;
  for (std::size_t s = 0; s < steps.size(); ++s)
    if (auto found = Finder(steps, values).find(s)) {
      s = found->last();
      fronts.push_back(*std::move(found));
    }
  return fronts;
}

/// The running stages, each of which publishes how many iterations it has done. The first task only
/// has loops to run; every other task also computes the rows that its first loop scans, but every
/// second chunk of these is computed by the task before.
class Wavefront::Pipeline {
 public:
  Pipeline(const Wavefront& front, std::span<FrameStep> steps, RunContext& context,
           std::size_t tasks)
      : front_(front),
        steps_(steps),
        contexts_(tasks, context.in_thread(iterations_left_)),
        done_(front.stages_.size()) {
    std::vector<std::size_t> places;
    std::size_t size = 0;
    for (const Stage& stage : front_.stages_) {
      std::size_t most = 0;
      for (const std::size_t s : stage.rows) most = std::max(most, steps_[s].scratch_bytes);
      places.push_back(size);
      size += aligned(most);
    }
    std::byte* scratch = context.workers()->scratch(size);
    for (const std::size_t place : places) ahead_.push_back(scratch + place);
  }

  /// The stages of one task, chunk by chunk, each as soon as the stage before has come as far.
  void run(std::size_t task) {
    const std::size_t stages = front_.stages_.size(), tasks = contexts_.size();
    const std::size_t begin = task * stages / tasks, end = (task + 1) * stages / tasks;
    const std::int64_t chunk = chunk_of(front_.trips_);
    RunContext& context = contexts_[task];
    bool is_ahead = false;  // whether the task before makes the rows of this chunk
    try {
      for (std::int64_t from = 0; from < front_.trips_; from += chunk, is_ahead = !is_ahead) {
        const std::int64_t until = std::min(from + chunk, front_.trips_);
        for (std::size_t stage = begin; stage < end; ++stage) {
          if (stage > 0 && !wait_for(stage - 1, until)) return;
          if (stage != begin || !is_ahead) make_rows(context, stage, from, until, nullptr);
          advance(context, stage, from, until);
          if (is_ahead && stage + 1 == end && end < stages)
            make_rows(context, end, from, until, ahead_[end]);
          done_[stage].store(until, std::memory_order_release);
        }
      }
    } catch (...) {
      has_failed_.store(true, std::memory_order_release);
      throw;
    }
  }

  const std::atomic<std::int64_t>& iterations_left() const { return iterations_left_; }

 private:
  /// Returns false when another task has failed.
  bool wait_for(std::size_t stage, std::int64_t iterations) const {
    constexpr int kSpins = 4096;  // then what is waited for may need this core
    for (int spins = 0; done_[stage].load(std::memory_order_acquire) < iterations; ++spins) {
      if (has_failed_.load(std::memory_order_acquire)) return false;
      if (spins > kSpins) std::this_thread::yield();
    }
    return true;
  }

  /// Calls `run` with a step, naming it in errors.
  template <class Run>
  void with_step(std::size_t s, const Run& run) {
    try {
      run(steps_[s]);
    } catch (Error& error) {
      throw error.in(steps_[s].title());
    }
  }

  /// Computes what the loop of a stage scans in some iterations, using this scratch memory, or the
  /// steps' own if null.
  void make_rows(RunContext& context, std::size_t stage, std::int64_t from, std::int64_t until,
                 std::byte* scratch) {
    for (const std::size_t s : front_.stages_[stage].rows)
      with_step(s, [&](const FrameStep& step) {
        run_rows(context, step, from, until, scratch ? scratch : step.io.scratch);
      });
  }

  void advance(RunContext& context, std::size_t stage, std::int64_t from, std::int64_t until) {
    with_step(front_.stages_[stage].loop,
              [&](const FrameStep& step) { loop_of(step)->advance(context, from, until); });
  }

  /// Runs a row kernel on the rows of some iterations.
  void run_rows(RunContext& context, const FrameStep& step, std::int64_t from, std::int64_t until,
                std::byte* scratch) {
    context.poll();
    const auto rows = *row_inputs(step);
    std::vector<TensorView> inputs = step.inputs;
    std::vector<MutableTensorView> outputs = step.outputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (rows[i]) take_rows(inputs[i], from, until);
    take_rows(outputs[0], from, until);
    step.node->op.run({inputs, outputs, scratch});
  }

  template <class View>
  void take_rows(View& view, std::int64_t from, std::int64_t until) const {
    const std::int64_t rows = view.shape[0] / front_.trips_;
    const std::size_t row_bytes =
        detail::bytes_of(view.dtype, product(Span(view.shape).subspan(1)));
    view.data += static_cast<std::size_t>(from * rows) * row_bytes;
    view.shape[0] = (until - from) * rows;
  }

  const Wavefront& front_;
  std::span<FrameStep> steps_;
  std::atomic<std::int64_t> iterations_left_ = 0;
  std::vector<RunContext> contexts_;  ///< one for each task
  std::vector<std::byte*> ahead_;     ///< for each stage, to make its rows in by the task before
  std::vector<std::atomic<std::int64_t>> done_;
  std::atomic<bool> has_failed_ = false;
};

void Wavefront::run(RunContext& context, std::span<FrameStep> steps,
                    const RunStep& run_step) const {
  for (const std::size_t s : before_) run_step(context, s);
  const std::size_t tasks = std::min(stages_.size(), context.workers()->count());
  Pipeline pipeline(*this, steps, context, tasks);
  for (const Stage& stage : stages_) {
    const auto trips = loop_of(steps[stage.loop])->begin(steps[stage.loop].io);
    check_data(trips == trips_, "the loop runs ", trips.value_or(-1), " times, the model says ",
               trips_);
  }
  const auto account = MemoryScope::current();
  context.workers()->run(tasks, [&](std::size_t task) {
    const ChargedElsewhere memory(account);
    pipeline.run(task);
  });
  context.take_back(pipeline.iterations_left());
  for (const Stage& stage : stages_) loop_of(steps[stage.loop])->end(steps[stage.loop].io);
  for (const std::size_t s : after_) run_step(context, s);
}

}  // namespace strata
