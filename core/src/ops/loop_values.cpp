#include "ops/loop_values.h"

#include <algorithm>

#include "ops/movement.h"
#include "shape_binding.h"
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
  for (std::int64_t row = 0; row < outer; ++row)
    copy_elements(data, (row * data.shape()[axis] + begin) * inner, chunk * inner, out,
                  row * chunk * inner);
  return std::move(out).freeze();
}

/// The symbol that `dim` has alone, and its value where `dim` is `size`: of one that is linear, as
/// 2 N + 1 is, or linear from 0 on.
std::optional<std::pair<std::string, std::int64_t>> solved(const Dim& dim, std::int64_t size) {
  const std::vector<std::string> symbols = dim.symbols();
  if (symbols.size() != 1) return std::nullopt;
  const auto at = [&](std::int64_t value) {
    return *dim.evaluate(SymbolValues{{symbols[0], value}});
  };
  try {
    const std::int64_t slope = at(2) - at(1), base = at(1) - slope;
    const Dim linear = slope * Dim::symbol(symbols[0]) + base;
    const bool is_it = dim == linear || (size > 0 && dim == max(linear, Dim(0)));
    if (!is_it || slope == 0 || (size - base) % slope != 0) return std::nullopt;
    return std::pair{symbols[0], (size - base) / slope};
  } catch (const Error&) {  // it overflows, or divides by 0
    return std::nullopt;
  }
}

/// Sizes that the entries of a loop tell, and that are the same in every iteration.
class LastingSizes {
 public:
  LastingSizes(const Loop& loop, Values entries) {
    std::size_t carried = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const ShapeFact& before = loop.body->input_fact(i + loop.numbered).shape;
      const bool is_carried = loop.inputs[i].kind == LoopInput::Kind::carried;
      const ShapeFact& after = is_carried ? loop.body->output_fact(carried++).shape : before;
      if (!entries[i].is_tensor() || before.is_open() || after.is_open()) continue;
      const Shape& sizes = entries[i].tensor().shape();
      for (std::size_t axis = 0; axis < std::min(sizes.size(), after.rank()); ++axis)
        if (before[axis] == after[axis]) add(before[axis], sizes[axis]);
    }
  }

  /// The size that the body calls `dim`, where the entries tell it.
  std::optional<std::int64_t> operator[](const Dim& dim) const {
    const auto known = std::find_if(known_.begin(), known_.end(),
                                    [&](const auto& each) { return each.first == dim; });
    if (known != known_.end()) return known->second;
    return resolved(dim, symbols_);
  }

 private:
  void add(const Dim& dim, std::int64_t size) {
    if (dim.constant()) return;  // the slice of a scanned entry
    known_.emplace_back(dim, size);
    if (const auto symbol = solved(dim, size)) symbols_.insert(*symbol);
  }

  std::vector<std::pair<Dim, std::int64_t>> known_;
  SymbolValues symbols_;
};

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

  bool empty() const { return parts_.empty(); }

  Tensor joined() && {
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
      throw in_iteration(error, n);
    }
    return outputs(entries, carried, std::move(stacks));
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

  ValueList outputs(Values entries, const ValueList& carried, std::vector<Parts> stacks) const {
    ValueList out;
    for (std::size_t o = 0; o < loop_.outputs.size(); ++o) {
      if (loop_.outputs[o].kind == LoopOutput::Kind::last)
        out.push_back(carried[static_cast<std::size_t>(loop_.outputs[o].index)]);
      else if (stacks[o].empty())
        out.push_back(empty_stack(loop_, o, entries));
      else
        out.push_back(std::move(stacks[o]).joined());
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

Error& in_iteration(Error& error, std::int64_t n) {
  if (error.kind() == ErrorKind::invalid_argument) error.as(ErrorKind::run_time);
  return error.in(cat("iteration ", n));
}

Shape empty_open_stack(const LoopOutput& stack) {
  const std::int64_t least_rank = stack.axis < 0 ? -stack.axis : stack.axis + 1;
  Shape shape = stack.declared;
  shape.resize(std::max(shape.size(), static_cast<std::size_t>(least_rank)), 0);
  for (std::int64_t& size : shape) size = std::max<std::int64_t>(size, 0);
  shape[normalized_axis(stack.axis, shape.size())] = 0;
  return shape;
}

Tensor empty_stack(const Loop& loop, std::size_t output, Values entries) {
  const LoopOutput& stack = loop.outputs[output];
  const Fact& part = loop.body->output_fact(static_cast<std::size_t>(stack.index));
  if (part.shape.is_open()) return MutableTensor(part.dtype, empty_open_stack(stack)).freeze();
  const LastingSizes sizes(loop, entries);
  Shape shape = stack.declared;
  shape.resize(part.shape.rank(), 0);
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] = std::max<std::int64_t>(sizes[part.shape[axis]].value_or(shape[axis]), 0);
  shape[normalized_axis(stack.axis, shape.size())] = 0;
  return MutableTensor(part.dtype, shape).freeze();
}

}  // namespace strata
