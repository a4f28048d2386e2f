#include "ops/loop_values.h"

#include <algorithm>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/support.h"

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

/// A loop being run.
class Iterations {
 public:
  Iterations(const Loop& loop, Runner& body) : loop_(loop), carried_(loop.carried()), body_(body) {}

  ValueList run(RunContext& context, Values entries, std::optional<std::int64_t> trips) {
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

 private:
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

  const Loop& loop_;
  std::vector<std::size_t> carried_;
  Runner& body_;
};

}  // namespace

ValueList run_loop_on_values(const Loop& loop, Runner& body, RunContext& context, Values entries,
                             std::optional<std::int64_t> trips) {
  return Iterations(loop, body).run(context, entries, trips);
}

Tensor empty_stack(const LoopOutput& output, const Fact& part) {
  Shape shape;
  if (part.shape.is_known())
    for (const Dim& dim : part.shape.dims()) shape.push_back(dim.constant().value_or(0));
  if (shape.empty()) shape.push_back(0);
  shape[normalized_axis(output.axis, shape.size())] = 0;
  return MutableTensor(part.dtype, shape).freeze();
}

}  // namespace strata
