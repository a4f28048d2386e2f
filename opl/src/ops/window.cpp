#include "ops/window.h"

#include <algorithm>

namespace strata::opl {
namespace {

/// Padding that makes the windows what they are for these very sizes.
Pairs exact_padding(const WindowSpec& window, const Shape& in, const Shape& kernel) {
  Pairs out;
  for (const AxisWindow& axis : window.axes(in, kernel)) {
    const std::int64_t reach = (axis.out - 1) * axis.stride + axis.dilation * (axis.kernel - 1) + 1;
    out.emplace_back(axis.before, std::max(axis.after, reach - axis.before - axis.in));
  }
  return out;
}

}  // namespace

std::optional<Pairs> window_padding(const WindowSpec& window, const ShapeFact& x,
                                    const Shape& kernel) {
  const std::size_t axes = kernel.size();
  const bool is_floor = window.rounding == WindowRounding::floor;
  if (is_floor && window.padding.kind == Padding::Kind::same_upper) return Pairs{};
  const bool is_fixed =
      window.padding.kind == Padding::Kind::fixed || window.padding.kind == Padding::Kind::valid;
  if (is_floor && is_fixed) {
    Pairs out(axes, {0, 0});
    if (window.padding.kind == Padding::Kind::fixed && !window.padding.amounts.empty())
      for (std::size_t i = 0; i < axes; ++i)
        out[i] = {window.padding.amounts[i], window.padding.amounts[axes + i]};
    return out;
  }
  if (x.is_open() || x.rank() != axes + 2) return std::nullopt;
  Shape in;
  for (std::size_t i = 0; i < axes; ++i) {
    const auto size = x[i + 2].constant();
    if (!size) return std::nullopt;
    in.push_back(*size);
  }
  return exact_padding(window, in, kernel);
}

Padding padding_of(const Pairs& pairs) {
  if (pairs.empty()) return {Padding::Kind::same_upper, {}};
  Padding out;
  for (const auto& [before, after] : pairs) out.amounts.push_back(before);
  for (const auto& [before, after] : pairs) out.amounts.push_back(after);
  return out;
}

Shape ones_or(const Shape& list, std::size_t count) {
  return list.empty() ? Shape(count, 1) : list;
}

}  // namespace strata::opl
