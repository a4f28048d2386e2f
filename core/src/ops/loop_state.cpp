#include <algorithm>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/support.h"
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

/// One stacked output being put together. With a known trip count, each part goes straight to its
/// final place.
class Stack {
 public:
  Stack(const LoopOutput& output, std::optional<std::int64_t> trips)
      : output_(output), trips_(trips) {}

  void add(const Tensor& part) {
    const auto axis = normalized_axis(output_.axis, part.rank());
    const bool direct =
        trips_ && !is_packed(part.dtype()) && product(Span(part.shape()).first(axis)) == 1;
    if (count_ == 0 && direct) {
      part_shape_ = part.shape();
      Shape shape = part.shape();
      shape[axis] *= *trips_;
      whole_.emplace(part.dtype(), shape);
    }
    if (whole_)
      place(part);
    else
      parts_.push_back(part.in_arena() ? MutableTensor::copy_of(part).freeze() : part);
    ++count_;
  }

  Tensor finish(const Fact& part_fact) && {
    if (count_ == 0) return empty(part_fact);
    if (whole_ && count_ == *trips_) return std::move(*whole_).freeze();
    check_data(!whole_, "the loop ended after ", count_, " of ", trips_.value_or(0), " iterations");
    if (output_.reversed) std::reverse(parts_.begin(), parts_.end());
    return TypedOp(Concat{output_.axis}).eval(ValueList(parts_.begin(), parts_.end()))[0].tensor();
  }

 private:
  void place(const Tensor& part) {
    check_data(part.shape() == part_shape_, "(C6) iteration ", count_, " stacks ",
               Span(part.shape()), " on ", Span(part_shape_));
    const std::int64_t at = output_.reversed ? *trips_ - 1 - count_ : count_;
    visit_storage(part.dtype(), [&]<class T>(TypeTag<T>) {
      const auto from = part.storage_as<T>();
      std::copy(from.begin(), from.end(), whole_->storage_as<T>().begin() + at * part.size());
    });
  }

  /// The output of no iteration: extent 0 along the axis, and for sizes nobody knows as well.
  Tensor empty(const Fact& part_fact) const {
    Shape shape;
    if (part_fact.shape.is_known())
      for (const Dim& dim : part_fact.shape.dims()) shape.push_back(dim.constant().value_or(0));
    if (shape.empty()) shape.push_back(0);
    shape[normalized_axis(output_.axis, shape.size())] = 0;
    return MutableTensor(part_fact.dtype, shape).freeze();
  }

  LoopOutput output_;
  std::optional<std::int64_t> trips_;
  std::int64_t count_ = 0;
  Shape part_shape_;
  std::optional<MutableTensor> whole_;
  TensorList parts_;
};

class LoopState final : public OpState {
 public:
  LoopState(const Loop& loop, std::shared_ptr<const Plan> plan)
      : loop_(loop), carried_(loop.carried()), session_(std::move(plan)) {}

  ValueList eval(RunContext& context, Values in) override {
    const auto trips = trip_count(in);
    const Values entries = in.subspan(loop_.has_trip_count);
    ValueList carried;
    for (const std::size_t i : carried_) carried.push_back(entries[i]);
    std::vector<Stack> stacks;
    for (const LoopOutput& output : loop_.outputs)
      if (output.kind == LoopOutput::Kind::stacked)
        stacks.emplace_back(output, loop_.condition ? std::nullopt : trips);

    ValueList body_inputs(entries.size() + loop_.numbered);
    for (std::int64_t n = 0; (!trips || n < *trips) && goes_on(carried); ++n) {
      context.count_iteration();
      fill_inputs(n, trips, entries, carried, body_inputs);
      ValueList results = session_.run(context, body_inputs);
      std::size_t stack = 0;
      for (const LoopOutput& output : loop_.outputs)
        if (output.kind == LoopOutput::Kind::stacked)
          stacks[stack++].add(results[static_cast<std::size_t>(output.index)].tensor());
      for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = std::move(results[k]);
    }
    return outputs(std::move(carried), std::move(stacks));
  }

 private:
  std::optional<std::int64_t> trip_count(Values in) const {
    std::optional<std::int64_t> trips;
    for (std::size_t i = 0; i < loop_.inputs.size(); ++i) {
      const LoopInput& input = loop_.inputs[i];
      if (input.kind != LoopInput::Kind::scanned) continue;
      const Tensor& data = in[i + loop_.has_trip_count].tensor();
      const std::int64_t extent = data.shape()[normalized_axis(input.axis, data.rank())];
      check_data(extent % input.chunk == 0, "(C5) an extent of ", extent,
                 " does not divide into chunks of ", input.chunk);
      check_data(!trips || *trips == extent / input.chunk, "(C5) scanned inputs have ",
                 trips.value_or(0), " and ", extent / input.chunk, " slices");
      trips = extent / input.chunk;
    }
    if (!loop_.has_trip_count) return trips;
    const Shape stated = to_integers(in[0].tensor());
    check_data(stated.size() == 1, "(C3) the trip count has ", stated.size(), " elements");
    const std::int64_t most = std::max<std::int64_t>(stated[0], 0);
    return trips ? std::min(*trips, most) : most;
  }

  bool goes_on(const ValueList& carried) const {
    if (!loop_.condition) return true;
    const Tensor& condition = carried[static_cast<std::size_t>(*loop_.condition)].tensor();
    check_data(condition.size() == 1, "(C4) the condition has ", condition.size(), " elements");
    return condition.as<bool>()[0];
  }

  void fill_inputs(std::int64_t n, std::optional<std::int64_t> trips, Values entries,
                   const ValueList& carried, ValueList& out) const {
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
          slot = carried[next_carried++];
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

  ValueList outputs(ValueList carried, std::vector<Stack> stacks) const {
    ValueList out;
    std::size_t stack = 0;
    for (const LoopOutput& output : loop_.outputs) {
      const auto index = static_cast<std::size_t>(output.index);
      if (output.kind == LoopOutput::Kind::last)
        out.push_back(carried[index]);
      else
        out.push_back(std::move(stacks[stack++]).finish(loop_.body->output_fact(index)));
    }
    return out;
  }

  Loop loop_;
  std::vector<std::size_t> carried_;
  Session session_;
};

}  // namespace

std::unique_ptr<OpState> Loop::state(StateContext& context) const {
  return std::make_unique<LoopState>(*this, context.plan_of(*body));
}

}  // namespace strata
