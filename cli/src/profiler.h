#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "strata/core/run_observer.h"

namespace strata::cli {

/// What a node took in all observed runs, and with it the nodes of its bodies.
struct ProfiledNode {
  const TypedNode* node = nullptr;  ///< null for the runs themselves
  std::string name;
  std::string op;
  std::size_t calls = 0;
  std::size_t iterations = 0;  ///< of a loop
  double seconds = 0;          ///< with its bodies
  double flops = 0;            ///< 0 of a node with bodies: they have their own
  double bytes = 0;            ///< read and written; likewise
  bool is_f32 = true;          ///< whether its operations are
  std::vector<std::unique_ptr<ProfiledNode>> inner;  ///< in the order in which they first ran

  /// Seconds without its bodies.
  double own_seconds() const;
};

/// A piece of the first observed run: a node, or one iteration of it.
struct ProfiledEvent {
  const ProfiledNode* node = nullptr;
  std::int64_t iteration = -1;  ///< -1 for the node as a whole
  double start = 0;             ///< in seconds, from the first run on
  double seconds = 0;
};

/// Measures the time of each node that a session runs. Its own time is not counted, nor that of
/// reading the clock.
class Profiler final : public RunObserver {
 public:
  Profiler();

  void begin(const TypedNode& node) override;
  void end(const TypedNode& node, std::span<const TensorView> inputs,
           std::span<const MutableTensorView> outputs) override;
  void iteration() override;

  void begin_run();
  void end_run();
  /// Forgets what it has seen, between runs.
  void clear();

  /// The runs: `calls` of them, and their nodes.
  const ProfiledNode& runs() const { return *runs_; }
  /// The events of the first run, in the order in which they end; limited to a number that trace
  /// viewers can show.
  const std::vector<ProfiledEvent>& events() const { return events_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Open {
    ProfiledNode* node;
    double start;
    std::size_t next = 0;  ///< of the inner nodes: the one that is likely to begin next
    std::int64_t iteration = -1;
    double iteration_start = 0;
  };

  void open(ProfiledNode& node, Clock::time_point since);
  void close(Clock::time_point at);
  double seconds_at(Clock::time_point at) const;
  void end_iteration(const Open& open, double now);
  void add_event(const ProfiledEvent& event);

  std::unique_ptr<ProfiledNode> runs_;
  std::vector<Open> open_;
  std::vector<ProfiledEvent> events_;
  Clock::time_point begin_;
  Clock::duration paused_{};  ///< spent in here
  Clock::duration reading_;   ///< the clock, once
};

}  // namespace strata::cli
