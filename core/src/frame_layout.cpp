#include <algorithm>

#include "frame_parts.h"
#include "kernel_ops/view_kernel.h"
#include "memory_account.h"
#include "memory_layout.h"
#include "wavefront.h"

namespace strata {

using Schedule = Plan::Schedule;

std::size_t scratch_of(const TypedOp& op, std::span<const TensorView> inputs) {
  FactList facts;
  facts.reserve(inputs.size());
  for (const TensorView& in : inputs) facts.push_back(Fact::tensor(in.dtype, in.shape));
  return op.scratch_bytes(GatheredFacts(facts));
}

/// The steps that are left once views are no work. Returns false when one needs more scratch memory
/// than a tensor may have.
bool Frame::add_steps() {
  steps_.clear();
  for (std::size_t s = 0; s < schedule_.steps.size(); ++s) {
    const Schedule::Step& scheduled = schedule_.steps[s];
    FrameStep step;
    step.scheduled = &scheduled;
    step.node = &plan_.model().node(scheduled.node);
    step.state = states_[s].get();
    if (step.node->op.as<ViewKernel>()) continue;
    for (const std::uint32_t v : scheduled.inputs) {
      step.inputs.push_back({nullptr, values_.fact_of(v).dtype, sizes_.shape_of(v)});
      step.asked_for.push_back(sizes_.shape_of(v));
    }
    for (const std::uint32_t v : scheduled.outputs)
      step.outputs.push_back({nullptr, values_.fact_of(v).dtype, sizes_.shape_of(v)});
    if (scheduled.kernel) {
      step.scratch_bytes = scratch_of(step.node->op, step.inputs);
    } else if (const auto bytes =
                   step.state ? step.state->bind(step.inputs, step.outputs) : std::nullopt) {
      step.kind = FrameStep::Kind::state;
      step.scratch_bytes = *bytes;
    } else {
      step.kind = FrameStep::Kind::eval;
    }
    const auto scratch = static_cast<std::int64_t>(step.scratch_bytes);
    if (!may_be(DatumType::u8, Shape{scratch}, plan_.limits())) return false;
    steps_.push_back(std::move(step));
  }
  return true;
}

void Frame::find_fronts() {
  fronts_.clear();
  for (std::size_t begin = 0; is_threaded_;) {
    auto found = Wavefront::find(steps_, begin, values_);
    if (!found) return;
    begin = found->last() + 1;
    fronts_.push_back(*std::move(found));
  }
}

std::size_t Frame::loops_side_by_side() const {
  std::size_t loops = 0;
  for (const Wavefront& front : fronts_) loops += front.loops();
  return loops;
}

/// Whether a step may run at the same time as others.
bool Frame::runs_aside(const FrameStep& step) const {
  const auto at = static_cast<std::size_t>(&step - steps_.data());
  return std::any_of(fronts_.begin(), fronts_.end(), [&](const Wavefront& front) {
    return front.first() <= at && at <= front.last();
  });
}

/// The step's place in the schedule: the time of lifetimes.
std::size_t Frame::time_of(const FrameStep& step) const {
  return static_cast<std::size_t>(step.scheduled - schedule_.steps.data());
}

/// The value that the step may write its first output over: an input that is as large, and that
/// nobody else reads any more.
std::optional<std::uint32_t> Frame::overwritten(const FrameStep& step) const {
  if (step.kind != FrameStep::Kind::kernel || runs_aside(step)) return std::nullopt;
  const auto input = step.node->op.in_place_input();
  if (!input) return std::nullopt;
  const Schedule::Places& reads = step.scheduled->inputs;
  const std::uint32_t root = values_[reads[*input]].root;
  const auto reads_it = [&](std::uint32_t read) { return values_[read].root == root; };
  if (values_[root].storage != FrameValue::Storage::local || places_[root].is_shared ||
      values_[root].last != time_of(step) ||
      sizes_.bytes_of(root) != sizes_.bytes_of(step.scheduled->outputs[0]) ||
      std::count_if(reads.begin(), reads.end(), reads_it) != 1)
    return std::nullopt;
  return root;
}

/// Gives each value made on the way, and each step's scratch memory, a block.
void Frame::add_blocks(Holding holding) {
  places_.assign(values_.count(), {});
  shared_.clear();
  held_.clear();
  blocks_.clear();
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    FrameStep& step = steps_[s];
    const std::size_t at = time_of(step);
    step.block = blocks_.size();
    blocks_.push_back({step.scratch_bytes, at, at});
    for (const std::uint32_t v : step.scheduled->outputs) {
      if (values_[v].storage != FrameValue::Storage::local) continue;
      LocalPlace& place = places_[v];
      const bool is_first = v == step.scheduled->outputs[0];
      if (const auto from = is_first ? overwritten(step) : std::nullopt) {
        shared_.emplace_back(v, *from);
        place.block = places_[*from].block;
        place.capacity = places_[*from].capacity;
        blocks_[place.block].last = values_[v].last;
      } else {
        place.block = blocks_.size();
        place.capacity = sizes_.bytes_of(v);
        blocks_.push_back({place.capacity, at, values_[v].last});
      }
    }
    if (holding != Holding::none) hold_parts(s, holding);
  }
  keep_fronts_apart();
}

/// Lays blocks out with as many parts in place as take no more memory than copies of them.
MemoryLayout Frame::best_layout() {
  add_blocks(Holding::all);
  if (held_.empty()) return strata::lay_out(blocks_);
  add_blocks(Holding::none);
  MemoryLayout plain = strata::lay_out(blocks_);
  for (const Holding holding : {Holding::all, Holding::near}) {
    add_blocks(holding);
    MemoryLayout layout = strata::lay_out(blocks_);
    if (layout.total <= plain.total) return layout;
  }
  add_blocks(Holding::none);
  return plain;
}

/// Gives each value made on the way, and each step's scratch memory, its place in the block of
/// memory.
void Frame::lay_out() {
  MemoryLayout layout = best_layout();
  offsets_ = std::move(layout.offsets);
  bytes_ = layout.total;
}

/// What is alive at some time of a wavefront is so all the time.
void Frame::keep_fronts_apart() {
  for (const Wavefront& front : fronts_) {
    const std::size_t first = time_of(steps_[front.first()]), last = time_of(steps_[front.last()]);
    for (Lifetime& block : blocks_) {
      if (block.first > last || block.last < first) continue;
      block.first = std::min(block.first, first);
      block.last = std::max(block.last, last);
    }
  }
}

/// Notes which views follow which storage, and sets those whose address is known.
void Frame::connect() {
  for (auto& views : input_views_) views.clear();
  for (auto& views : result_views_) views.clear();
  shapes_.clear();
  placed_views_.clear();
  unread_constants_.clear();
  const auto connect_view = [&](auto& view, std::uint32_t v) {
    if (values_.moves(v)) shapes_.emplace_back(&view.shape, v);
    const auto data = const_cast<const std::byte**>(&view.data);
    const FrameValue& root = values_.root_of(v);
    switch (root.storage) {
      case FrameValue::Storage::input:
        input_views_[root.index].push_back(data);
        break;
      case FrameValue::Storage::result:
        result_views_[root.index].push_back(data);
        break;
      case FrameValue::Storage::local:
        if (const std::size_t block = places_[values_[v].root].block; block != kNoBlock)
          placed_views_.emplace_back(data, block);
        break;
      case FrameValue::Storage::constant:
        if (root.constant->is_tensor())
          unread_constants_.emplace_back(data, &root.constant->tensor());
        break;
    }
  };
  for (FrameStep& step : steps_) {
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
      connect_view(step.inputs[i], step.scheduled->inputs[i]);
    for (std::size_t i = 0; i < step.outputs.size(); ++i)
      connect_view(step.outputs[i], step.scheduled->outputs[i]);
    step.io.inputs = step.inputs;
    step.io.outputs = step.outputs;
  }
  for (std::size_t i = 0; i < input_data_.size(); ++i) set_input(i, input_data_[i]);
  for (std::size_t r = 0; r < result_data_.size(); ++r) set_result(r, result_data_[r]);
}

void Frame::name_outputs() {
  outputs_.resize(schedule_.outputs.size());
  result_bytes_.assign(result_data_.size(), 0);
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const std::uint32_t v = schedule_.outputs[o];
    const FrameValue& root = values_.root_of(v);
    Output& output = outputs_[o];
    output.index = root.index;
    output.dtype = values_.fact_of(v).dtype;
    if (root.storage == FrameValue::Storage::input) output.kind = Output::Kind::input;
    if (root.storage == FrameValue::Storage::constant) {
      output.kind = Output::Kind::constant;
      output.constant = root.constant;
    }
  }
  size_outputs();
}

/// Outputs and results as large as their values are now.
void Frame::size_outputs() {
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const std::uint32_t v = schedule_.outputs[o];
    outputs_[o].shape = sizes_.shape_of(v);
    outputs_[o].bytes = sizes_.bytes_of(v);
    if (outputs_[o].kind == Output::Kind::result)
      result_bytes_[outputs_[o].index] = sizes_.bytes_of(values_[v].root);
  }
}

}  // namespace strata
