#include "strata/core/ops/spatial.h"

#include <algorithm>
#include <limits>

#include "memory_account.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

struct AxisDims {
  Dim out, before, after;
};

/// in + before + after - dilation * (kernel - 1) - 1: how far the window can slide.
Dim slide(const AxisDims& axis, const Dim& in, const Dim& kernel, std::int64_t dilation) {
  return in + (axis.before + axis.after - Dim(dilation) * (kernel - 1) - 1);
}

AxisDims same_axis(const WindowSpec& spec, std::size_t axis, const Dim& in, const Dim& kernel) {
  const Dim out = ceil_div(in, spec.stride(axis));
  const Dim reach =
      (out - 1) * Dim(spec.stride(axis)) + Dim(spec.dilation(axis)) * (kernel - 1) + 1;
  const auto [before, after] = split_padding(max(reach - in, 0), spec.padding.kind);
  return {out, before, after};
}

AxisDims axis_dims(const WindowSpec& spec, std::size_t axis, std::size_t rank, const Dim& in,
                   const Dim& kernel) {
  using Kind = Padding::Kind;
  const Padding& padding = spec.padding;
  if (padding.kind == Kind::same_upper || padding.kind == Kind::same_lower)
    return same_axis(spec, axis, in, kernel);
  AxisDims result{0, 0, 0};
  if (padding.kind == Kind::fixed && !padding.amounts.empty()) {
    result.before = padding.amounts[axis];
    result.after = padding.amounts[rank + axis];
  }
  const Dim room = slide(result, in, kernel, spec.dilation(axis));
  const Dim stride = spec.stride(axis);
  if (spec.rounding == WindowRounding::floor || padding.kind == Kind::valid) {
    result.out = floor_div(room, stride) + 1;
    return result;
  }
  // A window must begin before the padding at the end: (out - 1) * stride <= in + before - 1.
  const auto slack = (room - (in + result.before - 1) + (stride - 1)).constant();
  result.out = ceil_div(room, stride) + 1;
  if (!slack || *slack > 0)
    result.out = min(result.out, floor_div(in + result.before - 1, stride) + 1);
  return result;
}

void check_list(std::string_view tag, std::string_view what, const Shape& list, std::size_t wanted,
                std::int64_t least) {
  check(list.empty() || list.size() == wanted, tag, " ", what, " ", Span(list), " are not ",
        wanted);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t n : list) {
    check(n >= least, tag, " ", what, " ", Span(list), " has one below ", least);
    check(n <= kMost, tag, " ", what, " ", Span(list), " has one above ", kMost);
  }
}

}  // namespace

AttrValue to_attr(const Padding& padding) {
  return padding.kind == Padding::Kind::fixed ? to_attr(padding.amounts) : to_attr(padding.kind);
}

void from_attr(const AttrValue& value, Padding& padding) {
  padding = {};
  if (std::holds_alternative<std::string>(value))
    from_attr(value, padding.kind);
  else
    from_attr(value, padding.amounts);
}

std::pair<Dim, Dim> split_padding(const Dim& total, Padding::Kind kind) {
  const Dim half = floor_div(total, 2);
  return kind == Padding::Kind::same_upper ? std::pair{half, total - half}
                                           : std::pair{total - half, half};
}

void WindowSpec::check_axes(std::string_view tag, std::size_t axes) const {
  check_list(tag, "strides", strides, axes, 1);
  check_list(tag, "dilations", dilations, axes, 1);
  check_list(tag, "pads", padding.amounts, 2 * axes, 0);
}

std::vector<Dim> WindowSpec::output_dims(std::span<const Dim> in,
                                         std::span<const Dim> kernel) const {
  std::vector<Dim> out;
  out.reserve(in.size());
  for (std::size_t a = 0; a < in.size(); ++a)
    out.push_back(axis_dims(*this, a, in.size(), in[a], kernel[a]).out);
  return out;
}

std::vector<AxisWindow> WindowSpec::axes(Span in, Span kernel) const {
  std::vector<AxisWindow> out;
  for (std::size_t a = 0; a < in.size(); ++a) {
    const AxisDims dims = axis_dims(*this, a, in.size(), in[a], kernel[a]);
    check_data(*dims.out.constant() >= 0, "a window of ", kernel[a], " does not fit into ", in[a],
               " on spatial axis ", a);
    out.push_back({in[a], kernel[a], *dims.out.constant(), stride(a), dilation(a),
                   *dims.before.constant(), *dims.after.constant()});
  }
  return out;
}

Shape output_sizes(std::span<const AxisWindow> axes) {
  Shape out;
  for (const AxisWindow& axis : axes) out.push_back(axis.out);
  return out;
}

namespace {

/// The input offset that one tap adds on one axis for each of its outputs, or -1.
std::vector<std::int64_t> axis_offsets(const AxisWindow& axis, std::int64_t tap,
                                       std::int64_t step) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const std::int64_t at = o * axis.stride + tap * axis.dilation - axis.before;
    offsets.push_back(at >= 0 && at < axis.in ? at * step : -1);
  }
  return offsets;
}

}  // namespace

std::vector<std::int64_t> tap_offsets(std::span<const AxisWindow> axes, std::int64_t begin,
                                      std::int64_t end) {
  Shape kernel, in;
  for (const AxisWindow& axis : axes) {
    kernel.push_back(axis.kernel);
    in.push_back(axis.in);
  }
  const Shape steps = row_major_strides(in);
  Shape table = kernel;
  table.push_back(end - begin);
  check_room(DatumType::i64, table);
  std::vector<std::int64_t> all;
  all.reserve(static_cast<std::size_t>(product(table)));
  for_each_index(kernel, [&](const Shape& tap) {
    std::vector<std::vector<std::int64_t>> parts;
    for (std::size_t a = 0; a < axes.size(); ++a)
      parts.push_back(axis_offsets(axes[a], tap[a], steps[a]));
    for (std::int64_t o = begin; o < end; ++o) {
      std::int64_t rest = o, offset = 0;
      for (std::size_t a = axes.size(); a-- > 0;) {
        const std::int64_t part = parts[a][static_cast<std::size_t>(rest % axes[a].out)];
        rest /= axes[a].out;
        offset = part < 0 || offset < 0 ? -1 : offset + part;
      }
      all.push_back(offset);
    }
  });
  return all;
}

}  // namespace strata
