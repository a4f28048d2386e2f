#include <algorithm>

#include "ops/loop_frame.h"
#include "ops/loop_values.h"
#include "ops/stepped_loop.h"
#include "tensor_storage.h"

namespace strata {
namespace {

std::int64_t integer_in(const TensorView& scalar) {
  if (scalar.dtype == DatumType::i64) return *scalar.as<std::int64_t>();
  return to_integers(Tensor::borrowed(scalar.dtype, {}, scalar.data, nullptr))[0];
}

class LoopState final : public SteppedLoop {
 public:
  LoopState(const Loop& loop, std::shared_ptr<const Plan> plan)
      : loop_(loop), body_(std::move(plan)), frame_(loop_, body_) {}

  ValueList eval(RunContext& context, Values in) override {
    const auto trips = trip_count(in);
    const Values entries = in.subspan(loop_.has_trip_count);
    return bind_frame(entries) == LoopFrame::Fit::none
               ? run_loop_on_values(loop_, body_, context, entries, trips)
               : eval_frame(context, entries, trips);
  }

  std::optional<std::size_t> bind(std::span<const TensorView> in,
                                  std::span<const MutableTensorView> out) override {
    std::vector<Shape> shapes;
    for (const TensorView& entry : in.subspan(loop_.has_trip_count)) shapes.push_back(entry.shape);
    if (frame_.bind(shapes) != LoopFrame::Fit::steady) return std::nullopt;
    for (std::size_t o = 0; o < out.size(); ++o)
      if (!is_given_shape(o, out[o].shape)) return std::nullopt;
    fixed_trips_ = trips_by_shapes(in, out);
    return frame_.scratch_bytes();
  }

  void run(RunContext& context, const KernelIo& io) override {
    advance(context, 0, begin(io));
    end(io);
  }

  void release_memory() override {
    body_.release_memory();
    frame_.release_memory();
    scratch_.reset();
  }

  std::optional<std::int64_t> fixed_trips() const override { return fixed_trips_; }
  double flops() const override { return loop_.body->cost().flops; }
  bool scans_rows(std::size_t input) const override {
    if (input < loop_.has_trip_count) return false;
    const LoopInput& entry = loop_.inputs[input - loop_.has_trip_count];
    return entry.kind == LoopInput::Kind::scanned && entry.axis == 0 && !entry.reversed;
  }
  bool stacks_rows(std::size_t output) const override {
    const LoopOutput& entry = loop_.outputs[output];
    return entry.kind == LoopOutput::Kind::stacked && entry.axis == 0 && !entry.reversed;
  }

  std::optional<std::int64_t> begin(const KernelIo& io) override {
    trips_ = trip_count_of(io.inputs);
    entry_data_.clear();
    for (const TensorView& entry : io.inputs.subspan(loop_.has_trip_count))
      entry_data_.push_back(entry.data);
    stacks_.resize(loop_.outputs.size());
    for (std::size_t o = 0; o < io.outputs.size(); ++o) {
      if (loop_.outputs[o].kind != LoopOutput::Kind::stacked) continue;
      stacks_[o].whole = io.outputs[o].data;
      stacks_[o].trips = stacked_trips(o, io.outputs[o].shape);
      check_data(trips_ == stacks_[o].trips, "the loop runs ", trips_.value_or(-1),
                 " times, the model says ", stacks_[o].trips);
    }
    frame_.begin(entry_data_, io.scratch);
    return trips_;
  }

  std::int64_t advance(RunContext& context, std::int64_t from,
                       std::optional<std::int64_t> until) override {
    return frame_.advance(context, from, until, trips_, stacks_);
  }

  void end(const KernelIo& io) override {
    for (std::size_t o = 0; o < io.outputs.size(); ++o)
      if (loop_.outputs[o].kind == LoopOutput::Kind::last) copy_carried(o, io.outputs[o].data);
  }

 private:
  std::int64_t stacked_trips(std::size_t o, const Shape& whole) const {
    const std::size_t axis = frame_.layout(o).axis();
    return whole[axis] / frame_.part_shape(o)[axis];
  }

  std::optional<std::int64_t> trips_by_shapes(std::span<const TensorView> in,
                                              std::span<const MutableTensorView> out) const {
    if (loop_.condition) return std::nullopt;
    for (std::size_t o = 0; o < out.size(); ++o)
      if (loop_.outputs[o].kind == LoopOutput::Kind::stacked) return stacked_trips(o, out[o].shape);
    return loop_.has_trip_count ? std::nullopt : trip_count_of(in);
  }

  /// Whether an output that the frame gives has the shape that the model says. A stack has it when
  /// its extent tells the trips.
  bool is_given_shape(std::size_t o, const Shape& shape) const {
    const auto index = static_cast<std::size_t>(loop_.outputs[o].index);
    if (loop_.outputs[o].kind == LoopOutput::Kind::last)
      return frame_.carried_shape(index) == shape;
    const std::size_t axis = frame_.layout(o).axis();
    Shape part = frame_.part_shape(o);
    if (loop_.condition || part.size() != shape.size() || part[axis] == 0 ||
        shape[axis] % part[axis] != 0)
      return false;
    part[axis] = shape[axis];
    return part == shape;
  }

  /// The final value that output `o` gives.
  TensorView last_value(std::size_t o) const {
    return frame_.carried(static_cast<std::size_t>(loop_.outputs[o].index));
  }

  void copy_carried(std::size_t o, std::byte* to) const {
    const TensorView value = last_value(o);
    const auto bytes = detail::bytes_of(value.dtype, product(value.shape));
    if (bytes > 0) std::memcpy(to, value.data, bytes);
  }

  std::optional<std::int64_t> trip_count(Values in) {
    views_.clear();
    for (const Value& value : in)
      views_.push_back(value.is_tensor() ? TensorView{value.tensor().data(), value.tensor().dtype(),
                                                      value.tensor().shape()}
                                         : TensorView{});
    return trip_count_of(views_);
  }

  std::optional<std::int64_t> trip_count_of(std::span<const TensorView> in) const {
    std::optional<std::int64_t> trips;
    for (std::size_t i = 0; i < loop_.inputs.size(); ++i) {
      const LoopInput& input = loop_.inputs[i];
      if (input.kind != LoopInput::Kind::scanned) continue;
      const Shape& shape = in[i + loop_.has_trip_count].shape;
      const std::int64_t extent = shape[normalized_axis(input.axis, shape.size())];
      check_data(extent % input.chunk == 0, "(C5) an extent of ", extent,
                 " does not divide into chunks of ", input.chunk);
      check_data(!trips || *trips == extent / input.chunk, "(C5) scanned inputs have ",
                 trips.value_or(0), " and ", extent / input.chunk, " slices");
      trips = extent / input.chunk;
    }
    if (!loop_.has_trip_count) return trips;
    const std::int64_t count = product(in[0].shape);
    check_data(count == 1, "(C3) the trip count has ", count, " elements");
    const std::int64_t most = std::max<std::int64_t>(integer_in(in[0]), 0);
    return trips ? std::min(*trips, most) : most;
  }

  LoopFrame::Fit bind_frame(Values entries) {
    shapes_.clear();
    for (const Value& entry : entries) {
      if (!entry.is_tensor()) return LoopFrame::Fit::none;
      shapes_.push_back(entry.tensor().shape());
    }
    return frame_.bind(shapes_);
  }

  /// Where the outputs that are stacked go: in place where the iterations are known.
  struct Stacks {
    std::vector<StackedOutput> outputs;
    std::vector<std::optional<MutableTensor>> wholes;
  };

  Stacks stacks_for(std::optional<std::int64_t> trips) const {
    const std::size_t count = loop_.outputs.size();
    Stacks out{std::vector<StackedOutput>(count), std::vector<std::optional<MutableTensor>>(count)};
    for (std::size_t o = 0; o < loop_.outputs.size(); ++o) {
      if (loop_.outputs[o].kind != LoopOutput::Kind::stacked) continue;
      const Frame::Output& part =
          body_.frame().outputs()[static_cast<std::size_t>(loop_.outputs[o].index)];
      if (loop_.condition || !trips) {
        out.outputs[o].growing.emplace(part.dtype, part.shape);
        continue;
      }
      Shape shape = part.shape;
      std::int64_t& extent = shape[frame_.layout(o).axis()];
      require(!__builtin_mul_overflow(extent, *trips, &extent), ErrorKind::limit, "output ", o,
              " of ", *trips, " iterations is too large");
      out.wholes[o].emplace(part.dtype, std::move(shape));
      out.outputs[o].whole = out.wholes[o]->data();
      out.outputs[o].trips = *trips;
    }
    return out;
  }

  ValueList eval_frame(RunContext& context, Values entries, std::optional<std::int64_t> trips) {
    std::vector<const std::byte*> data;
    for (const Value& entry : entries) data.push_back(entry.tensor().data());
    Stacks stacks = stacks_for(trips);
    const bool is_changing = frame_.fit() == LoopFrame::Fit::changing;
    const std::int64_t done = is_changing
                                  ? frame_.run_changing(context, data, trips, stacks.outputs)
                                  : run_steady(context, data, trips, stacks.outputs);
    ValueList out;
    for (std::size_t o = 0; o < loop_.outputs.size(); ++o) {
      if (loop_.outputs[o].kind == LoopOutput::Kind::last)
        out.push_back(last_tensor(o, is_changing));
      else if (is_changing && done == 0)
        out.push_back(empty_stack(loop_, o, entries));
      else if (StackedOutput& stack = stacks.outputs[o]; stack.growing)
        out.push_back(std::move(*stack.growing).joined(frame_.layout(o)));
      else
        out.push_back(std::move(*stacks.wholes[o]).freeze());
    }
    return out;
  }

  std::int64_t run_steady(RunContext& context, std::span<const std::byte* const> entries,
                          std::optional<std::int64_t> trips, std::span<StackedOutput> stacks) {
    frame_.begin(entries, scratch());
    return frame_.advance(context, 0, trips, trips, stacks);
  }

  std::byte* scratch() {
    const auto bytes = static_cast<std::int64_t>(frame_.scratch_bytes());
    if (!scratch_ || scratch_->size() < bytes) scratch_.emplace(DatumType::u8, Shape{bytes});
    return scratch_->data();
  }

  /// The final value that output `o` gives: of a run with changing shapes, in the memory that it
  /// has grown in.
  Tensor last_tensor(std::size_t o, bool is_changing) const {
    if (is_changing)
      if (auto lent = frame_.lent(static_cast<std::size_t>(loop_.outputs[o].index)))
        return *std::move(lent);
    const TensorView value = last_value(o);
    MutableTensor out(value.dtype, value.shape);
    copy_carried(o, out.data());
    return std::move(out).freeze();
  }

  Loop loop_;
  Runner body_;
  LoopFrame frame_;
  std::optional<std::int64_t> trips_;        ///< of the run that `begin` began
  std::optional<std::int64_t> fixed_trips_;  ///< as bound
  std::vector<TensorView> views_;
  std::vector<const std::byte*> entry_data_;
  std::vector<StackedOutput> stacks_;
  std::vector<Shape> shapes_;
  std::optional<MutableTensor> scratch_;  ///< what the frame works in when `eval` runs it
};

}  // namespace

std::unique_ptr<OpState> Loop::state(StateContext& context) const {
  return std::make_unique<LoopState>(*this, context.plan_of(*body));
}

}  // namespace strata
