#include "profiler.h"

#include <algorithm>
#include <numeric>

namespace strata::cli {
namespace {

constexpr std::size_t kMostEvents = 500'000;

/// The least time from one reading of the clock to the next.
std::chrono::steady_clock::duration time_of_reading() {
  using Clock = std::chrono::steady_clock;
  auto least = Clock::duration::max();
  for (int i = 0; i < 1000; ++i) {
    const Clock::time_point before = Clock::now();
    least = std::min(least, Clock::now() - before);
  }
  return least;
}

template <class View>
std::vector<Fact> facts_of(std::span<const View> views) {
  std::vector<Fact> out;
  for (const View& view : views) out.push_back(Fact::tensor(view.dtype, view.shape));
  return out;
}

Cost cost_of(const TypedOp& op, std::span<const TensorView> inputs,
             std::span<const MutableTensorView> outputs) {
  const std::vector<Fact> in = facts_of(inputs), out = facts_of(outputs);
  try {
    return op.cost(GatheredFacts(in), GatheredFacts(out));
  } catch (const Error&) {
    return {};  // the cost depends on the values of inputs
  }
}

/// The entry of `node`, which is added when it has none; `next` is where to look first.
ProfiledNode& inner_of(ProfiledNode& outer, const TypedNode& node, std::size_t& next) {
  auto& inner = outer.inner;
  const auto is_it = [&](const auto& entry) { return entry->node == &node; };
  auto at = inner.begin() + static_cast<std::ptrdiff_t>(std::min(next, inner.size()));
  if (at == inner.end() || !is_it(*at)) at = std::find_if(inner.begin(), inner.end(), is_it);
  if (at == inner.end()) {
    auto entry = std::make_unique<ProfiledNode>();
    entry->node = &node;
    entry->name = node.name;
    entry->op = node.op.display_name();
    at = inner.insert(at, std::move(entry));
  }
  next = static_cast<std::size_t>(at - inner.begin()) + 1;
  return **at;
}

}  // namespace

double ProfiledNode::own_seconds() const {
  return std::accumulate(inner.begin(), inner.end(), seconds,
                         [](double left, const auto& each) { return left - each->seconds; });
}

Profiler::Profiler() : reading_(time_of_reading()) { clear(); }

void Profiler::clear() {
  runs_ = std::make_unique<ProfiledNode>();
  runs_->name = "run";
  open_.clear();
  events_.clear();
  begin_ = Clock::now();
  paused_ = {};
}

double Profiler::seconds_at(Clock::time_point at) const {
  return std::chrono::duration<double>(at - begin_ - paused_).count();
}

void Profiler::open(ProfiledNode& node, Clock::time_point since) {
  open_.push_back({&node, 0});
  const Clock::time_point now = Clock::now();
  paused_ += now - since + reading_;
  open_.back().start = seconds_at(now);
}

void Profiler::close(Clock::time_point at) {
  const Open ended = open_.back();
  open_.pop_back();
  paused_ += reading_;
  const double now = seconds_at(at);
  end_iteration(ended, now);
  ++ended.node->calls;
  ended.node->seconds += now - ended.start;
  add_event({ended.node, -1, ended.start, now - ended.start});
}

void Profiler::begin_run() { open(*runs_, Clock::now()); }
void Profiler::end_run() { close(Clock::now()); }

void Profiler::begin(const TypedNode& node) {
  const Clock::time_point since = Clock::now();
  open(inner_of(*open_.back().node, node, open_.back().next), since);
}

void Profiler::end(const TypedNode& node, std::span<const TensorView> inputs,
                   std::span<const MutableTensorView> outputs) {
  const Clock::time_point at = Clock::now();
  ProfiledNode& entry = *open_.back().node;
  close(at);
  if (entry.inner.empty() && node.op.bodies().empty()) {
    const Cost cost = cost_of(node.op, inputs, outputs);
    entry.flops += cost.flops;
    entry.bytes += cost.bytes_read + cost.bytes_written;
    entry.is_f32 = inputs.empty() || inputs[0].dtype == DatumType::f32;
  }
  paused_ += Clock::now() - at;
}

void Profiler::iteration() {
  const Clock::time_point at = Clock::now();
  paused_ += reading_;
  const double now = seconds_at(at);
  Open& loop = open_.back();
  end_iteration(loop, now);
  ++loop.iteration;
  ++loop.node->iterations;
  loop.iteration_start = now;
  loop.next = 0;
  paused_ += Clock::now() - at;
}

void Profiler::end_iteration(const Open& open, double now) {
  if (open.iteration >= 0)
    add_event({open.node, open.iteration, open.iteration_start, now - open.iteration_start});
}

void Profiler::add_event(const ProfiledEvent& event) {
  const bool is_first_run = runs_->calls == 0 || event.node == runs_.get();
  if (is_first_run && runs_->calls <= 1 && events_.size() < kMostEvents) events_.push_back(event);
}

}  // namespace strata::cli
