#include "strata/core/ops/pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/number_view.h"
#include "ops/padded_image.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

Shape input_sizes(std::span<const AxisWindow> axes) {
  Shape in;
  for (const AxisWindow& axis : axes) in.push_back(axis.in);
  return in;
}

/// Taps of each output that lie within the padded input: what an average with `count_padding`
/// divides by.
std::vector<std::int64_t> padded_counts(std::span<const AxisWindow> axes) {
  std::vector<std::int64_t> counts;
  for_each_index(output_sizes(axes), [&](const Shape& index) {
    std::int64_t count = 1;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const AxisWindow& axis = axes[a];
      const std::int64_t room = axis.in + axis.before + axis.after - index[a] * axis.stride;
      count *= std::clamp<std::int64_t>((room + axis.dilation - 1) / axis.dilation, 0, axis.kernel);
    }
    counts.push_back(count);
  });
  return counts;
}

/// The elements under the windows of a plane: for each tap and output an offset, or -1 in the
/// padding.
struct Taps {
  std::vector<std::int64_t> offsets;
  std::int64_t taps;
  std::int64_t outputs;

  template <class Visit>
  void visit(std::int64_t output, Visit&& with) const {
    for (std::int64_t t = 0; t < taps; ++t)
      if (const std::int64_t at = offsets[static_cast<std::size_t>(t * outputs + output)]; at >= 0)
        with(at);
  }
};

bool is_nan(auto x) { return x != x; }

/// The planes of an image, one after the other.
template <class Wide>
struct Planes {
  NumberView<Wide> x;
  std::int64_t size;
  Wide at(std::int64_t plane, std::int64_t offset) const {
    return x[static_cast<std::size_t>(plane * size + offset)];
  }
};

/// The offset of the first maximum; -1 when the window lies in the padding.
template <class Wide>
std::int64_t find_max(const Planes<Wide>& x, std::int64_t plane, const Taps& taps,
                      std::int64_t output) {
  std::int64_t best = -1;
  Wide most{};
  taps.visit(output, [&](std::int64_t at) {
    const Wide each = x.at(plane, at);
    if (best >= 0 && (is_nan(most) || !(each > most || is_nan(each)))) return;
    best = at;
    most = each;
  });
  return best;
}

template <class Wide>
Wide lowest() {
  using Limits = std::numeric_limits<Wide>;
  return std::is_integral_v<Wide> ? Limits::lowest() : -Limits::infinity();
}

/// An offset within a plane counted with the first axis as the fastest.
std::int64_t column_major(std::int64_t offset, const Shape& sizes) {
  std::int64_t step = product(sizes), out = 0;
  for (std::size_t a = sizes.size(); a-- > 0;) {
    step /= sizes[a];
    out += offset % sizes[a] * step;
    offset /= sizes[a];
  }
  return out;
}

template <class Wide>
void pool_max(const Pool& op, const PoolGeometry& g, const Taps& taps, const Tensor& in,
              MutableTensor& out, std::int64_t* indices) {
  const Shape sizes = input_sizes(g.axes);
  const std::int64_t plane = product(sizes);
  const Planes<Wide> x{NumberView<Wide>(in), plane};
  const MutableNumberView<Wide> y(out);
  const Wide of_padding = in_range(lowest<Wide>(), in.dtype());
  for (std::int64_t p = 0; p < g.planes; ++p)
    for (std::int64_t o = 0; o < taps.outputs; ++o) {
      const std::int64_t at = find_max(x, p, taps, o);
      y.set(static_cast<std::size_t>(p * taps.outputs + o), at < 0 ? of_padding : x.at(p, at));
      if (!indices) continue;
      *indices++ =
          at < 0 ? -1
                 : p * plane +
                       (op.indices == PoolIndices::column_major ? column_major(at, sizes) : at);
    }
}

/// |x|^p, and |x|^(1/p): those of the common norms take no logarithm.
double power(double x, double p) { return p == 2 ? x * x : std::pow(std::abs(x), p); }
double root(double x, double p) { return p == 2 ? std::sqrt(x) : std::pow(x, 1 / p); }

void pool_sums(const Pool& op, const PoolGeometry& g, const Taps& taps, const Tensor& in,
               MutableTensor& out) {
  const Planes<double> x{NumberView<double>(in), product(input_sizes(g.axes))};
  const MutableNumberView<double> y(out);
  const auto counts = padded_counts(g.axes);
  for (std::int64_t p = 0; p < g.planes; ++p)
    for (std::int64_t o = 0; o < taps.outputs; ++o) {
      double sum = 0;
      std::int64_t count = 0;
      taps.visit(o, [&](std::int64_t at) {
        const double value = x.at(p, at);
        sum += op.kind == PoolKind::lp ? power(value, op.p) : value;
        ++count;
      });
      if (op.count_padding) count = counts[static_cast<std::size_t>(o)];
      y.set(static_cast<std::size_t>(p * taps.outputs + o),
            op.kind == PoolKind::lp ? root(sum, op.p)
                                    : sum / static_cast<double>(std::max<std::int64_t>(count, 1)));
    }
}

void check_type(const Pool& op, DatumType type) {
  const bool floating = is_float(type) && bit_width(type) >= 16;
  check(floating || (op.kind == PoolKind::max && is_integer(type) && !is_packed(type)),
        "(C2) no pooling of ", type);
}

/// Whether a Pool that pads by itself makes the same of an image as one that is padded for it.
bool may_pad_itself(const Pool& op, const PaddedImage& image) {
  // A last window that is kept for its size begins within the image, and indices count in it.
  if (op.rounding == WindowRounding::ceil || op.indices != PoolIndices::none) return false;
  if (op.kind == PoolKind::max) return image.value == -std::numeric_limits<double>::infinity();
  const Shape& own = op.padding.amounts;
  const bool counts_all =
      op.kind == PoolKind::lp || op.count_padding ||
      std::all_of(own.begin(), own.end(), [](std::int64_t n) { return n == 0; });
  return counts_all && image.value == 0;
}

/// Pool(Pad(x, what adds nothing))   ->   Pool(x), which pads by as much more
Rewrite padding_itself(const Pool& op, const NodeView& node) {
  const auto padded = padded_image(node);
  const auto padding = padded ? joined(*padded, op.padding) : std::nullopt;
  if (!padding || !may_pad_itself(op, *padded)) return no_change;
  Pool whole = op;
  whole.padding = *padding;
  whole.count_padding = op.kind == PoolKind::average;
  return without_pad(node, *padded, std::move(whole));
}

/// Pool(x) by one window that is all of the image   ->   Reduce(x), of floats
Rewrite reduced(const Pool& op, const NodeView& node) {
  const Fact& x = node.input_fact(0);
  if (op.kind == PoolKind::lp || op.indices != PoolIndices::none || !is_float(x.dtype) ||
      x.shape.is_open() || x.shape.rank() < 3)
    return no_change;
  Shape sizes;
  std::vector<std::int64_t> along;
  for (std::size_t axis = 2; axis < x.shape.rank(); ++axis) {
    const auto size = x.shape[axis].constant();
    if (!size) return no_change;
    sizes.push_back(*size);
    along.push_back(static_cast<std::int64_t>(axis));
  }
  for (const AxisWindow& axis : op.window().axes(sizes, op.kernel))
    if (axis.before != 0 || axis.kernel != axis.in || axis.out != 1) return no_change;
  Patch patch(node);
  const OutletId axes = patch.constant("axes", Tensor::vector<std::int64_t>(along));
  const Reduce reduce{op.kind == PoolKind::max ? Reduction::max : Reduction::mean};
  patch.shunt(node.output(), patch.wire_one("", reduce, {node.input(0), axes}));
  return patch;
}

}  // namespace

PoolGeometry Pool::geometry(const Shape& x) const {
  check_data(x.size() == kernel.size() + 2, "(C3) a kernel ", Span(kernel),
             " does not go with shape ", Span(x));
  return {x[0] * x[1], window().axes(Span(x).subspan(2), kernel)};
}

FactList Pool::output_facts(Facts in) const {
  check_arity("(C1) Pool", in, 1, 1);
  check_type(*this, in[0].dtype);
  window().check_axes("(C4)", kernel.size());
  for (const std::int64_t size : kernel)
    check(size >= 1, "(C3) a kernel ", Span(kernel), " has an empty axis");
  check(indices == PoolIndices::none || kind == PoolKind::max,
        "(C5) indices of what is no maximum");
  std::vector<Dim> out =
      in[0].shape.is_known() ? in[0].shape.dims() : fresh_shape(kernel.size() + 2).dims();
  check(out.size() == kernel.size() + 2, "(C3) a kernel ", Span(kernel), " does not go with shape ",
        in[0].shape);
  if (in[0].shape.is_known()) {
    const std::vector<Dim> sizes(kernel.begin(), kernel.end());
    const auto spatial = window().output_dims(std::span(in[0].shape.dims()).subspan(2), sizes);
    for (std::size_t a = 0; a < spatial.size(); ++a) {
      check(spatial[a].constant().value_or(0) >= 0, "(C4) a window of ", kernel[a],
            " does not fit into ", out[2 + a]);
      out[2 + a] = spatial[a];
    }
  }
  FactList facts{Fact::tensor(in[0].dtype, out)};
  if (indices != PoolIndices::none) facts.push_back(Fact::tensor(DatumType::i64, out));
  return facts;
}

TensorList Pool::eval(Tensors in) const {
  const PoolGeometry g = geometry(in[0].shape());
  Shape shape{in[0].shape()[0], in[0].shape()[1]};
  for (const AxisWindow& axis : g.axes) shape.push_back(axis.out);
  const std::int64_t outputs = product(output_sizes(g.axes));
  const Taps taps{tap_offsets(g.axes, 0, outputs), product(kernel), outputs};
  MutableTensor out(in[0].dtype(), shape);
  MutableTensor where(DatumType::i64, indices == PoolIndices::none ? Shape{0} : shape);
  if (kind == PoolKind::max) {
    visit_wide(in[0].dtype(), [&]<class Wide>(TypeTag<Wide>) {
      pool_max<Wide>(*this, g, taps, in[0], out,
                     indices == PoolIndices::none ? nullptr : where.as<std::int64_t>().data());
    });
  } else {
    pool_sums(*this, g, taps, in[0], out);
  }
  TensorList results{std::move(out).freeze()};
  if (indices != PoolIndices::none) results.push_back(std::move(where).freeze());
  return results;
}

Rewrite Pool::declutter(const NodeView& node) const {
  Rewrite rewrite = padding_itself(*this, node);
  return rewrite ? std::move(rewrite) : reduced(*this, node);
}

Cost Pool::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  if (const auto shape = out[0].shape.concrete())
    cost.flops = static_cast<double>(product(*shape)) * static_cast<double>(product(kernel));
  return cost;
}

}  // namespace strata
