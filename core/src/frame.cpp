#include "frame.h"

#include <algorithm>
#include <limits>

#include "kernel_ops/concat_kernel.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// With room to grow, a frame may take this many bytes, whatever it needs, or this many times what
/// it needs.
constexpr std::size_t kFreeRoom = 16 << 20, kMostRoom = 8;

/// The shapes to lay out for: axes that have grown a little will grow again, and get room for that.
/// An input that has grown along more than two axes is another picture, not a longer row, and gets
/// none: room along all its axes would be many times what is needed.
std::vector<Shape> with_room(std::span<const Shape> inputs, std::span<const Shape> before) {
  std::vector<Shape> roomy(inputs.begin(), inputs.end());
  constexpr std::int64_t kLittle = 16;  // however short the axis: a row of a few tokens more
  constexpr std::int64_t kLeast = 64;   // so that short axes do not soon outgrow their room
  for (std::size_t i = 0; i < before.size(); ++i) {
    std::size_t grown = 0;
    for (std::size_t axis = 0; axis < roomy[i].size() && axis < before[i].size(); ++axis) {
      std::int64_t& size = roomy[i][axis];
      const std::int64_t growth = size - before[i][axis];
      const bool may_double = size <= std::numeric_limits<std::int64_t>::max() / 2;
      if (!may_double || growth <= 0 || growth > std::max(size / 8, kLittle)) continue;
      size = std::max(2 * size, kLeast);
      ++grown;
    }
    if (grown > 2) roomy[i] = inputs[i];
  }
  return roomy;
}

}  // namespace

Frame::Frame(const Plan& plan, std::span<const std::unique_ptr<OpState>> states)
    : values_(plan), sizes_(values_), states_(states), arguments_(values_) {}

Frame::~Frame() = default;

void Frame::use_threads(bool is_threaded) {
  if (is_threaded == is_threaded_) return;
  is_threaded_ = is_threaded;
  is_bound_ = false;
  bound_for_.clear();
}

bool Frame::bind(std::span<const Shape> inputs, Room room) {
  try {
    if (!sizes_.match_model(inputs)) return false;
    if (!values_.are_placeable() || sizes_.depend_on_data()) {
      bound_for_.assign(inputs.begin(), inputs.end());
      sizes_.check_symbols(inputs);  // the interpreter relies on symbols that agree
      return is_bound_ = false;
    }
    if (room == Room::none) return lay_out_for(inputs);
    if (is_bound_ && bind_again(inputs)) return true;
    const std::vector<Shape> roomy = with_room(inputs, bound_for_);
    const bool has_room = !std::ranges::equal(roomy, inputs);
    return (has_room && lay_out_with_room(roomy, inputs)) || lay_out_for(inputs);
  } catch (...) {
    is_bound_ = false;
    bound_for_.clear();
    throw;
  }
}

/// Lays out for larger inputs, then updates the sizes to these inputs. Where room would take many
/// times the memory, as it may for a product of several grown inputs, lays out for these inputs
/// alone. Returns false if the larger sizes do not agree, or cannot be laid out.
bool Frame::lay_out_with_room(const std::vector<Shape>& roomy, std::span<const Shape> inputs) {
  try {
    if (!lay_out_for(roomy)) return false;
    if (const std::size_t roomy_bytes = bytes(); roomy_bytes > kFreeRoom) {
      if (!lay_out_for(inputs)) return false;
      if (roomy_bytes / kMostRoom > bytes()) return true;
      lay_out_for(roomy);
    }
    return bind_again(inputs);
  } catch (const Error&) {
    return false;
  }
}

/// Finds sizes, steps and places from scratch.
bool Frame::lay_out_for(std::span<const Shape> inputs) {
  is_bound_ = false;
  memory_ = nullptr;
  bound_for_.assign(inputs.begin(), inputs.end());
  SymbolScope scope;  // ops may try fresh dims before they see that all is known
  const FreshSymbols fresh(scope);
  if (!sizes_.find(inputs)) return false;
  auto steps = steps_of(sizes_, states_);
  if (!steps) return false;
  steps_ = *std::move(steps);
  has_free_bodies_ = std::ranges::any_of(steps_, [](const FrameStep& step) {
    return step.kind == FrameStep::Kind::eval && step.node->op.has_bodies();
  });
  fronts_ = is_threaded_ ? Wavefront::find_all(steps_, values_) : std::vector<Wavefront>();
  layout_ = FrameLayout::best(sizes_, steps_, fronts_);
  arguments_.connect(steps_, layout_);
  find_outputs();
  return is_bound_ = true;
}

/// Keeps steps and places, and updates the dynamic sizes. Returns false if they do not fit into
/// their places, or leave nearly all of a large memory unused.
bool Frame::bind_again(std::span<const Shape> inputs) {
  is_bound_ = false;
  if (!fronts_.empty()) return false;  // made for the trip counts of their loops
  if (!sizes_.update(inputs) || !layout_.update(sizes_, steps_)) return false;
  arguments_.resize(sizes_);
  if (memory_) arguments_.place(memory_, layout_);
  const auto scratch = scratch_again(steps_);
  if (!scratch) return false;
  if (bytes() > kFreeRoom && sizes_.local_bytes() + *scratch < bytes() / kMostRoom) return false;
  find_outputs();
  bound_for_.assign(inputs.begin(), inputs.end());
  return is_bound_ = true;
}

void Frame::find_outputs() {
  using Storage = FrameValue::Storage;
  const auto& leaving = values_.plan().schedule().outputs;
  outputs_.resize(leaving.size());
  result_bytes_.resize(values_.results());
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const std::uint32_t v = leaving[o];
    const FrameValue& root = values_.root_of(v);
    Output& output = outputs_[o];
    output.kind = root.storage == Storage::input      ? Output::Kind::input
                  : root.storage == Storage::constant ? Output::Kind::constant
                                                      : Output::Kind::result;
    output.index = root.index;
    output.constant = root.constant;
    output.dtype = values_.fact_of(v).dtype;
    output.shape = sizes_.shape_of(v);
    output.bytes = sizes_.bytes_of(v);
    if (output.kind == Output::Kind::result) result_bytes_[root.index] = output.bytes;
  }
}

std::optional<std::size_t> Frame::extended_input(std::size_t result) const {
  for (const FrameStep& step : steps_) {
    const ConcatKernel* concat = step.node->op.as<ConcatKernel>();
    if (!concat) continue;
    const FrameValue& made = values_.root_of(step.scheduled->outputs[0]);
    const FrameValue& first = values_.root_of(step.scheduled->inputs[0]);
    if (made.storage != FrameValue::Storage::result || made.index != result ||
        first.storage != FrameValue::Storage::input)
      continue;
    const Span shape = step.outputs[0].shape;
    if (product(shape.first(normalized_axis(concat->axis, shape.size()))) == 1) return first.index;
  }
  return std::nullopt;
}

std::size_t Frame::loops_side_by_side() const {
  std::size_t loops = 0;
  for (const Wavefront& front : fronts_) loops += front.loops();
  return loops;
}

void Frame::place(std::byte* memory) {
  memory_ = memory;
  arguments_.place(memory, layout_);
}

const std::byte* Frame::output_data(std::size_t output) const {
  const Output& from = outputs_[output];
  switch (from.kind) {
    case Output::Kind::result:
      return arguments_.result(from.index);
    case Output::Kind::input:
      return arguments_.input(from.index);
    case Output::Kind::constant:
      return from.constant->tensor().data();
  }
  fail(ErrorKind::internal, "an unknown kind of frame output");
}

}  // namespace strata
