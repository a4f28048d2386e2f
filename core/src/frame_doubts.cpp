#include "frame_doubts.h"

#include <algorithm>

#include "kernel_ops/view_kernel.h"
#include "strata/core/ops/support.h"

namespace strata {

using Schedule = Plan::Schedule;

namespace {

/// A size for symbol `number`: different for each, large, but so that products of a few fit 64
/// bits. No sum or difference of two should be a third, as it would be if sizes had equal
/// distances, so the lowest bits are mixed, each time by a mapping of which no two numbers have the
/// same result.
std::int64_t unrelated_size(std::size_t number) {
  constexpr std::uint64_t kLeast = 10'007, kMixed = 1 << 14;
  std::uint64_t low = number % kMixed;
  low = low * 0x2545 % kMixed;
  low ^= low >> 7;
  low = low * 0x1d35 % kMixed;
  return static_cast<std::int64_t>(kLeast + number / kMixed * kMixed + (low ^ low >> 6));
}

}  // namespace

bool agrees(const Schedule::Step& step, const FrameValues& values, std::span<const Shape> shapes,
            const SymbolValues& symbols) {
  const bool is_view = values.node_of(step).op.as<ViewKernel>() != nullptr;
  const auto sized = [&](std::uint32_t v) {
    return Fact::tensor(values.fact_of(v).dtype, shapes[v]);
  };
  FactList given;
  given.reserve(step.inputs.size());
  GatheredFacts in;
  for (const std::uint32_t v : step.inputs) {
    const auto target = is_view && !given.empty() ? values.fact_of(v).dims() : std::nullopt;
    const Fact fact =
        target ? Fact::of(dims_tensor(strata::sized(*target, symbols).dims())) : sized(v);
    in.add(given.emplace_back(values[v].constant ? values.fact_of(v) : fact));
  }
  SymbolScope scope;  // ops may try fresh dims before they see that all is known
  const FreshSymbols fresh(scope);
  try {
    const FactList made = values.node_of(step).op.output_facts(in);
    return std::equal(
        step.outputs.begin(), step.outputs.end(), made.begin(),
        [&](std::uint32_t v, const Fact& fact) { return compatible(fact, sized(v)); });
  } catch (const Error&) {
    return false;  // running it value by value reports what does not fit
  }
}

/// An equation between sizes that holds for large, unrelated sizes of the symbols holds for all
/// sizes. A reshape is the exception: where a symbol is 0, it may copy a size of the input, and a
/// size of -1 beside a 0 may be anything.
std::vector<Doubt> doubts_of(const FrameValues& values) {
  SymbolValues sizes;
  std::vector<Shape> shapes(values.count());
  std::vector<bool> is_dynamic, is_known;
  for (std::uint32_t v = 0; v < values.count(); ++v) {
    const ShapeFact& shape = values.fact_of(v).shape;
    is_dynamic.push_back(values.is_dynamic(v));
    if (is_dynamic[v] && !shape.is_open())
      for (const Dim& dim : shape.dims())
        for (const std::string& symbol : dim.symbols())
          sizes.emplace(symbol, unrelated_size(sizes.size()));
    auto large = resolved(shape, sizes);
    is_known.push_back(large || values[v].constant);
    if (large) shapes[v] = *std::move(large);
  }
  std::vector<Doubt> doubts;
  for (const Schedule::Step& step : values.plan().schedule().steps) {
    if (!step.kernel) continue;
    const auto has = [&](const std::vector<bool>& property, bool value) {
      const auto is_it = [&](std::uint32_t v) { return property[v] == value; };
      return std::ranges::any_of(step.inputs, is_it) || std::ranges::any_of(step.outputs, is_it);
    };
    if (!has(is_dynamic, true)) continue;
    const ViewKernel* view = values.node_of(step).op.as<ViewKernel>();
    const bool is_doubtful = has(is_known, false) || !agrees(step, values, shapes, sizes);
    if (is_doubtful || (view && view->kind == ViewKind::reshape))
      doubts.push_back({&step, !is_doubtful});
  }
  return doubts;
}

}  // namespace strata
