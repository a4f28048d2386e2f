#include "strata/core/ops/grid_sample.h"

#include <algorithm>
#include <cmath>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// An input on one axis and its weight; the index is -1 for a zero outside.
struct Tap {
  std::int64_t index;
  double weight;
};

/// `x` folded back at the borders until it is between them.
double reflected(double x, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  if (x >= low && x <= high) return x;
  const double beyond = x < low ? low - x : x - high, turns = std::floor(beyond / range);
  const double rest = beyond - turns * range;
  const bool from_low = (x < low) == (std::fmod(turns, 2) == 0);
  return from_low ? low + rest : high - rest;
}

/// Samples along one axis of `size` elements.
struct GridAxis {
  const GridSample& op;
  std::int64_t size;

  double low() const { return op.align_corners ? 0 : -0.5; }
  double high() const { return static_cast<double>(size) - (op.align_corners ? 1 : 0.5); }

  /// Where a coordinate lies, in elements. Computed in the type of the grid, as ties decide the
  /// nearest.
  template <class G>
  double place(G n) const {
    const G length = static_cast<G>(size);
    return static_cast<double>(op.align_corners ? (n + 1) / 2 * (length - 1)
                                                : ((n + 1) * length - 1) / 2);
  }

  Tap tap(std::int64_t index, double weight) const {
    if (op.padding == GridPadding::zeros) return {index >= 0 && index < size ? index : -1, weight};
    if (op.padding == GridPadding::reflection)
      index = static_cast<std::int64_t>(reflected(static_cast<double>(index), low(), high()));
    return {std::clamp<std::int64_t>(index, 0, size - 1), weight};
  }

  std::vector<Tap> taps(double x) const {
    if (op.mode == GridMode::nearest) x = std::nearbyint(x);
    if (x < low() || x > high()) {
      if (op.padding == GridPadding::border) x = std::clamp(x, 0.0, static_cast<double>(size - 1));
      if (op.padding == GridPadding::reflection) x = reflected(x, low(), high());
    }
    if (op.mode == GridMode::nearest) return {tap(static_cast<std::int64_t>(x), 1)};
    const double first = std::floor(x), t = x - first;
    const auto i = static_cast<std::int64_t>(first);
    if (op.mode == GridMode::linear) return {tap(i, 1 - t), tap(i + 1, t)};
    return {tap(i - 1, outer(1 + t)), tap(i, inner(t)), tap(i + 1, inner(1 - t)),
            tap(i + 2, outer(2 - t))};
  }

  /// Keys' cubic kernel with a = -3/4, within 1 of the place and beyond.
  static double inner(double x) { return (1.25 * x - 2.25) * x * x + 1; }
  static double outer(double x) { return -0.75 * (((x - 5) * x + 8) * x - 4); }
};

/// The elements of a plane that one output is made of.
void collect(std::span<const std::vector<Tap>> axes, const Shape& sizes, Tap so_far,
             std::vector<Tap>& to) {
  if (axes.empty()) {
    to.push_back(so_far);
    return;
  }
  const std::int64_t step = product(Span(sizes).subspan(1));
  for (const Tap& tap : axes[0]) {
    const bool outside = tap.index < 0 || so_far.index < 0;
    collect(axes.subspan(1), Shape(Span(sizes).subspan(1)),
            {outside ? -1 : so_far.index + tap.index * step, so_far.weight * tap.weight}, to);
  }
}

/// For each place of the grid of one item of the batch: what its output is made of.
template <class G>
std::vector<std::vector<Tap>> places(const GridSample& op, const G* grid, std::int64_t count,
                                     const Shape& sizes) {
  std::vector<std::vector<Tap>> out(static_cast<std::size_t>(count));
  for (auto& taps : out) {
    std::vector<std::vector<Tap>> axes;
    for (std::size_t a = 0; a < sizes.size(); ++a) {
      const GridAxis axis{op, sizes[a]};
      axes.push_back(axis.taps(axis.place(grid[sizes.size() - 1 - a])));
    }
    collect(axes, sizes, {0, 1}, taps);
    grid += sizes.size();
  }
  return out;
}

template <class T>
T sampled(GridMode mode, const T* plane, const std::vector<Tap>& taps) {
  if constexpr (std::is_same_v<T, double>) {
    if (mode != GridMode::nearest) {
      double sum = 0;
      for (const Tap& tap : taps) sum += tap.index < 0 ? 0 : tap.weight * plane[tap.index];
      return sum;
    }
  }
  return taps[0].index < 0 ? T{} : plane[taps[0].index];
}

template <class T, class G>
void sample(const GridSample& op, const Tensor& x, const Tensor& grid, std::int64_t count, T* to) {
  const Shape sizes(Span(x.shape()).subspan(2));
  const std::int64_t plane = product(sizes);
  const T* from = x.storage_as<T>().data();
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    const auto all =
        places(op, grid.as<G>().data() + n * count * static_cast<std::int64_t>(sizes.size()), count,
               sizes);
    for (std::int64_t c = 0; c < x.shape()[1]; ++c, from += plane)
      for (const auto& taps : all) *to++ = sampled(op.mode, from, taps);
  }
}

}  // namespace

FactList GridSample::output_facts(Facts in) const {
  check(in.size() == 2, "(C1) GridSample takes 2 inputs, ", in.size(), " given");
  const ShapeFact &x = in[0].shape, &grid = in[1].shape;
  check(is_float(in[1].dtype), "(C2) a grid of type ", in[1].dtype);
  check(mode == GridMode::nearest || is_float(in[0].dtype) || is_integer(in[0].dtype),
        "(C2) no interpolation of ", in[0].dtype);
  for (const ShapeFact* shape : {&x, &grid})
    check(shape->is_open() || shape->rank() >= 3, "(C3) an operand of shape ", *shape);
  if (x.is_open() && grid.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const std::size_t rank = x.is_known() ? x.rank() : grid.rank();
  if (x.is_known() && grid.is_known()) {
    check(grid.rank() == rank, "(C3) a grid of shape ", grid, " for x of shape ", x);
    check(may_be_equal(x[0], grid[0]) && may_be_equal(grid[rank - 1], Dim(rank - 2)),
          "(C4) a grid of shape ", grid, " for x of shape ", x);
  }
  std::vector<Dim> out = fresh_shape(rank).dims();
  for (std::size_t a = 0; a < rank; ++a) {
    if (a < 2 && x.is_known()) out[a] = x[a];
    if (a >= 2 && grid.is_known()) out[a] = grid[a - 1];
  }
  return {Fact::tensor(in[0].dtype, std::move(out))};
}

TensorList GridSample::eval(Tensors in) const {
  const Shape &x = in[0].shape(), &grid = in[1].shape();
  check_data(x.size() >= 3 && x.size() == grid.size(), "(C3) a grid of shape ", Span(grid),
             " for x of shape ", Span(x));
  check_data(x[0] == grid[0] && grid.back() == static_cast<std::int64_t>(x.size() - 2),
             "(C4) a grid of shape ", Span(grid), " for x of shape ", Span(x));
  Shape shape{x[0], x[1]};
  for (std::size_t a = 1; a + 1 < grid.size(); ++a) shape.push_back(grid[a]);
  const std::int64_t count = product(Span(shape).subspan(2));
  const bool wide_grid = in[1].dtype() == DatumType::f64;
  const Tensor coordinates = wide_grid ? in[1] : cast(in[1], DatumType::f32);
  const Tensor source = mode == GridMode::nearest ? in[0] : cast(in[0], DatumType::f64);
  MutableTensor out(source.dtype(), shape);
  visit_storage(out.dtype(), [&]<class U>(TypeTag<U>) {
    using T = std::conditional_t<std::is_same_v<U, std::uint64_t>, double,
                                 U>;  // doubles are moved as well as summed
    if (wide_grid)
      sample<T, double>(*this, source, coordinates, count, out.storage_as<T>().data());
    else
      sample<T, float>(*this, source, coordinates, count, out.storage_as<T>().data());
  });
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
