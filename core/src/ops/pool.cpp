#include "strata/core/ops/pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return std::isnan(static_cast<double>(value));
}

/// The offset of the first maximum; -1 when the window lies in the padding.
template <class T>
std::int64_t find_max(const T* plane, const Taps& taps, std::int64_t output) {
  std::int64_t best = -1;
  taps.visit(output, [&](std::int64_t at) {
    if (best < 0 || (!is_nan(plane[best]) && (plane[at] > plane[best] || is_nan(plane[at]))))
      best = at;
  });
  return best;
}

template <class T>
T lowest() {
  if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::lowest();
  else
    return static_cast<T>(-std::numeric_limits<float>::infinity());
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

template <class T>
void pool_max(const Pool& op, const PoolGeometry& g, const Taps& taps, const T* x, T* y,
              std::int64_t* indices) {
  const Shape sizes = input_sizes(g.axes);
  const std::int64_t plane = product(sizes);
  for (std::int64_t p = 0; p < g.planes; ++p, x += plane)
    for (std::int64_t o = 0; o < taps.outputs; ++o, ++y) {
      const std::int64_t at = find_max(x, taps, o);
      *y = at < 0 ? lowest<T>() : x[at];
      if (!indices) continue;
      *indices++ =
          at < 0 ? -1
                 : p * plane +
                       (op.indices == PoolIndices::column_major ? column_major(at, sizes) : at);
    }
}

template <class T>
void pool_sums(const Pool& op, const PoolGeometry& g, const Taps& taps, const T* x, T* y) {
  const std::int64_t plane = product(input_sizes(g.axes));
  const auto counts = padded_counts(g.axes);
  for (std::int64_t p = 0; p < g.planes; ++p, x += plane)
    for (std::int64_t o = 0; o < taps.outputs; ++o, ++y) {
      double sum = 0;
      std::int64_t count = 0;
      taps.visit(o, [&](std::int64_t at) {
        const double value = static_cast<double>(x[at]);
        sum += op.kind == PoolKind::lp ? std::pow(std::abs(value), op.p) : value;
        ++count;
      });
      if (op.count_padding) count = counts[static_cast<std::size_t>(o)];
      *y = static_cast<T>(op.kind == PoolKind::lp
                              ? std::pow(sum, 1 / op.p)
                              : sum / static_cast<double>(std::max<std::int64_t>(count, 1)));
    }
}

void check_type(const Pool& op, DatumType type) {
  const bool floating = is_float(type) && bit_width(type) >= 16;
  check(floating || (op.kind == PoolKind::max && is_integer(type) && !is_packed(type)),
        "(C2) no pooling of ", type);
}

template <class Visit>
void visit_float(DatumType type, Visit&& visit) {
  switch (type) {
    case DatumType::f16:
      return visit(TypeTag<f16>{});
    case DatumType::bf16:
      return visit(TypeTag<bf16>{});
    case DatumType::f32:
      return visit(TypeTag<float>{});
    default:
      return visit(TypeTag<double>{});
  }
}

template <class Visit>
void visit_real(DatumType type, Visit&& visit) {
  switch (type) {
    case DatumType::u8:
      return visit(TypeTag<std::uint8_t>{});
    case DatumType::u16:
      return visit(TypeTag<std::uint16_t>{});
    case DatumType::u32:
      return visit(TypeTag<std::uint32_t>{});
    case DatumType::u64:
      return visit(TypeTag<std::uint64_t>{});
    case DatumType::i8:
      return visit(TypeTag<std::int8_t>{});
    case DatumType::i16:
      return visit(TypeTag<std::int16_t>{});
    case DatumType::i32:
      return visit(TypeTag<std::int32_t>{});
    case DatumType::i64:
      return visit(TypeTag<std::int64_t>{});
    default:
      return visit_float(type, std::forward<Visit>(visit));
  }
}

}  // namespace

PoolGeometry Pool::geometry(const Shape& x) const {
  check_data(x.size() == kernel.size() + 2, "(C3) a kernel ", Span(kernel),
             " does not go with shape ", Span(x));
  return {x[0] * x[1], window().axes(Span(x).subspan(2), kernel)};
}

FactList Pool::output_facts(Facts in) const {
  check(in.size() == 1, "(C1) Pool takes 1 input, ", in.size(), " given");
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
    visit_real(in[0].dtype(), [&]<class T>(TypeTag<T>) {
      pool_max(*this, g, taps, in[0].as<T>().data(), out.as<T>().data(),
               indices == PoolIndices::none ? nullptr : where.as<std::int64_t>().data());
    });
  } else {
    visit_float(in[0].dtype(), [&]<class T>(TypeTag<T>) {
      pool_sums(*this, g, taps, in[0].as<T>().data(), out.as<T>().data());
    });
  }
  TensorList results{std::move(out).freeze()};
  if (indices != PoolIndices::none) results.push_back(std::move(where).freeze());
  return results;
}

Cost Pool::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  if (const auto shape = out[0].shape.concrete())
    cost.flops = static_cast<double>(product(*shape)) * static_cast<double>(product(kernel));
  return cost;
}

}  // namespace strata
