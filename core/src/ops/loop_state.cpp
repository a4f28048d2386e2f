#include <algorithm>

#include "ops/loop_frame.h"
#include "strata/core/ops/concat.h"
#include "strata/core/session.h"

namespace strata {
namespace {

/// Copies the `chunk` rows at `begin` of `axis` out of `data`; a view where the axis leads.
Tensor slice(const Tensor& data, std::size_t axis, std::int64_t begin, std::int64_t chunk) {
  if (product(Span(data.shape()).first(axis)) == 1) {
    Shape leading{data.shape()[axis]};
    for (std::size_t i = axis + 1; i < data.rank(); ++i) leading.push_back(data.shape()[i]);
    Shape shape = data.shape();
    shape[axis] = chunk;
    return data.reshaped(std::move(leading)).rows(begin, begin + chunk).reshaped(std::move(shape));
  }
  if (is_packed(data.dtype()))
    return packed(slice(unpacked(data), axis, begin, chunk), data.dtype());
  Shape shape = data.shape();
  shape[axis] = chunk;
  MutableTensor out(data.dtype(), shape);
  const std::int64_t outer = product(Span(shape).first(axis)),
                     inner = product(Span(shape).subspan(axis + 1));
  visit_storage(data.dtype(), [&]<class T>(TypeTag<T>) {
    const auto from = data.storage_as<T>().begin();
    auto to = out.storage_as<T>().begin();
    for (std::int64_t row = 0; row < outer; ++row)
      to = std::copy_n(from + (row * data.shape()[axis] + begin) * inner, chunk * inner, to);
  });
  return std::move(out).freeze();
}

std::int64_t integer_in(const TensorView& scalar) {
  if (scalar.dtype == DatumType::i64) return *scalar.as<std::int64_t>();
  return to_integers(Tensor::borrowed(scalar.dtype, {}, scalar.data, nullptr))[0];
}

/// The stack of no iteration: extent 0 along the axis, and for sizes nobody knows as well.
Tensor empty_stack(const LoopOutput& output, const Fact& part) {
  Shape shape;
  if (part.shape.is_known())
    for (const Dim& dim : part.shape.dims()) shape.push_back(dim.constant().value_or(0));
  if (shape.empty()) shape.push_back(0);
  shape[normalized_axis(output.axis, shape.size())] = 0;
  return MutableTensor(part.dtype, shape).freeze();
}

/// The parts of a stacked output, joined at the end.
class Parts {
 public:
  explicit Parts(const LoopOutput& output) : output_(output) {}

  void add(const Tensor& part) {
    check_data(parts_.empty() || part.shape() == parts_[0].shape(), "(C6) output ", output_.index,
               " of the body is stacked, and is ", Span(part.shape()), " after ",
               Span(parts_.empty() ? part.shape() : parts_[0].shape()));
    parts_.push_back(part);
  }

  Tensor joined(const Fact& part_fact) && {
    if (parts_.empty()) return empty_stack(output_, part_fact);
    if (output_.reversed) std::reverse(parts_.begin(), parts_.end());
    return TypedOp(Concat{output_.axis}).eval(ValueList(parts_.begin(), parts_.end()))[0].tensor();
  }

 private:
  LoopOutput output_;
  TensorList parts_;
};

class LoopState final : public OpState {
 public:
  LoopState(const Loop& loop, std::shared_ptr<const Plan> plan)
      : loop_(loop), carried_(loop.carried()), body_(std::move(plan)), frame_(loop_, body_) {}

  ValueList eval(RunContext& context, Values in) override {
    const auto trips = trip_count(in);
    const Values entries = in.subspan(loop_.has_trip_count);
    return bind_frame(entries) == LoopFrame::Fit::none ? eval_values(context, entries, trips)
                                                       : eval_frame(context, entries, trips);
  }

  std::optional<std::size_t> bind(std::span<const TensorView> in,
                                  std::span<const MutableTensorView> out) override {
    std::vector<Shape> shapes;
    for (const TensorView& entry : in.subspan(loop_.has_trip_count)) shapes.push_back(entry.shape);
    if (frame_.bind(shapes) != LoopFrame::Fit::steady) return std::nullopt;
    for (std::size_t o = 0; o < out.size(); ++o)
      if (!is_given_shape(o, out[o].shape)) return std::nullopt;
    return frame_.scratch_bytes();
  }

  void run(RunContext& context, const KernelIo& io) override {
    const auto trips = trip_count_of(io.inputs);
    entry_data_.clear();
    for (const TensorView& entry : io.inputs.subspan(loop_.has_trip_count))
      entry_data_.push_back(entry.data);
    stacks_.resize(loop_.outputs.size());
    for (std::size_t o = 0; o < io.outputs.size(); ++o) {
      if (loop_.outputs[o].kind != LoopOutput::Kind::stacked) continue;
      const std::size_t axis = frame_.layout(o).axis();
      stacks_[o].whole = io.outputs[o].data;
      stacks_[o].trips = io.outputs[o].shape[axis] / frame_.part_shape(o)[axis];
      check_data(trips == stacks_[o].trips, "the loop runs ", trips.value_or(-1),
                 " times, the model says ", stacks_[o].trips);
    }
    frame_.run(context, entry_data_, trips, stacks_, io.scratch);
    for (std::size_t o = 0; o < io.outputs.size(); ++o)
      if (loop_.outputs[o].kind == LoopOutput::Kind::last) copy_carried(o, io.outputs[o].data);
  }

 private:
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
    const auto bytes = static_cast<std::size_t>(product(value.shape)) * bit_width(value.dtype) / 8;
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

  ValueList eval_frame(RunContext& context, Values entries, std::optional<std::int64_t> trips) {
    std::vector<const std::byte*> data;
    for (const Value& entry : entries) data.push_back(entry.tensor().data());
    std::vector<StackedOutput> stacks(loop_.outputs.size());
    std::vector<std::optional<MutableTensor>> wholes(stacks.size());
    for (std::size_t o = 0; o < stacks.size(); ++o) {
      if (loop_.outputs[o].kind != LoopOutput::Kind::stacked) continue;
      const Frame::Output& part =
          body_.frame().outputs()[static_cast<std::size_t>(loop_.outputs[o].index)];
      if (loop_.condition || !trips) {
        stacks[o].growing.emplace(part.dtype, part.shape);
        continue;
      }
      Shape shape = part.shape;
      shape[frame_.layout(o).axis()] *= *trips;
      wholes[o].emplace(part.dtype, std::move(shape));
      stacks[o].whole = wholes[o]->data();
      stacks[o].trips = *trips;
    }
    const bool is_changing = frame_.fit() == LoopFrame::Fit::changing;
    const std::int64_t done = is_changing ? frame_.run_changing(context, data, trips, stacks)
                                          : frame_.run(context, data, trips, stacks, scratch());
    ValueList out;
    for (std::size_t o = 0; o < stacks.size(); ++o) {
      const LoopOutput& output = loop_.outputs[o];
      if (is_changing && done == 0 && output.kind == LoopOutput::Kind::stacked)
        out.push_back(
            empty_stack(output, loop_.body->output_fact(static_cast<std::size_t>(output.index))));
      else if (stacks[o].growing)
        out.push_back(std::move(*stacks[o].growing).joined(frame_.layout(o)));
      else if (wholes[o])
        out.push_back(std::move(*wholes[o]).freeze());
      else
        out.push_back(last_tensor(o));
    }
    return out;
  }

  std::byte* scratch() {
    const auto bytes = static_cast<std::int64_t>(frame_.scratch_bytes());
    if (!scratch_ || scratch_->size() < bytes) scratch_.emplace(DatumType::u8, Shape{bytes});
    return scratch_->data();
  }

  Tensor last_tensor(std::size_t o) const {
    const TensorView value = last_value(o);
    MutableTensor out(value.dtype, value.shape);
    copy_carried(o, out.data());
    return std::move(out).freeze();
  }

  /// Iteration by iteration on values: bodies with values other than tensors, or whose shapes change.
  ValueList eval_values(RunContext& context, Values entries, std::optional<std::int64_t> trips) {
    ValueList carried;
    for (const std::size_t i : carried_) carried.push_back(entries[i]);
    std::vector<Parts> stacks;
    for (const LoopOutput& output : loop_.outputs) stacks.emplace_back(output);
    ValueList body_inputs(entries.size() + loop_.numbered);
    std::int64_t n = 0;
    try {
      for (; (!trips || n < *trips) && goes_on(carried); ++n) {
        context.count_iteration();
        fill_inputs(n, trips, entries, std::move(carried), body_inputs);
        carried = body_.run(context, body_inputs);
        for (std::size_t o = 0; o < stacks.size(); ++o)
          if (loop_.outputs[o].kind == LoopOutput::Kind::stacked)
            stacks[o].add(carried[static_cast<std::size_t>(loop_.outputs[o].index)].tensor());
        carried.resize(carried_.size());
      }
    } catch (Error& error) {
      throw error.in(cat("iteration ", n));
    }
    return outputs(carried, std::move(stacks));
  }

  bool goes_on(const ValueList& carried) const {
    if (!loop_.condition) return true;
    const Tensor& condition = carried[static_cast<std::size_t>(*loop_.condition)].tensor();
    check_data(condition.size() == 1, "(C4) the condition has ", condition.size(), " elements");
    return condition.as<bool>()[0];
  }

  void fill_inputs(std::int64_t n, std::optional<std::int64_t> trips, Values entries,
                   ValueList carried, ValueList& out) const {
    if (loop_.numbered) out[0] = Tensor::scalar<std::int64_t>(n);
    std::size_t next_carried = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const LoopInput& input = loop_.inputs[i];
      Value& slot = out[i + loop_.numbered];
      switch (input.kind) {
        case LoopInput::Kind::invariant:
          slot = entries[i];
          break;
        case LoopInput::Kind::carried:
          slot = std::move(carried[next_carried++]);
          break;
        case LoopInput::Kind::scanned: {
          const Tensor& data = entries[i].tensor();
          const std::int64_t at = input.reversed ? *trips - 1 - n : n;
          slot =
              slice(data, normalized_axis(input.axis, data.rank()), at * input.chunk, input.chunk);
        }
      }
    }
  }

  ValueList outputs(const ValueList& carried, std::vector<Parts> stacks) const {
    ValueList out;
    for (std::size_t o = 0; o < loop_.outputs.size(); ++o) {
      const auto index = static_cast<std::size_t>(loop_.outputs[o].index);
      if (loop_.outputs[o].kind == LoopOutput::Kind::last)
        out.push_back(carried[index]);
      else
        out.push_back(std::move(stacks[o]).joined(loop_.body->output_fact(index)));
    }
    return out;
  }

  Loop loop_;
  std::vector<std::size_t> carried_;
  Runner body_;
  LoopFrame frame_;
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
