#include "strata/core/ops/grid_sample.h"

#include "ops/grid_taps.h"
#include "strata/core/ops/support.h"
#include "strata/core/rank.h"

namespace strata {
namespace {

using Tap = GridTaps::Tap;

template <class T>
T sampled(GridMode mode, const T* plane, std::span<const Tap> taps) {
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
  const Span sizes = Span(x.shape()).subspan(2);
  const std::int64_t plane = product(sizes);
  const GridTaps grid_taps(op, sizes);
  const std::size_t width = grid_taps.count();
  std::vector<Tap> all(static_cast<std::size_t>(count) * width);
  const T* from = x.storage_as<T>().data();
  const G* place = grid.as<G>().data();
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    for (std::size_t at = 0; at < all.size(); at += width, place += sizes.size())
      grid_taps.at(place, all.data() + at);
    for (std::int64_t c = 0; c < x.shape()[1]; ++c, from += plane)
      for (std::size_t at = 0; at < all.size(); at += width)
        *to++ = sampled(op.mode, from, std::span<const Tap>(all).subspan(at, width));
  }
}

/// Of an operand, where each output takes 2 or 4 inputs for every axis that is sampled, all of them
/// multiplied.
std::size_t most_axes(GridMode mode) {
  if (mode == GridMode::cubic) return 5;
  return mode == GridMode::linear ? 10 : static_cast<std::size_t>(kMostAxes);
}

}  // namespace

FactList GridSample::output_facts(Facts in) const {
  check_arity("(C1) GridSample", in, 2, 2);
  const ShapeFact &x = in[0].shape, &grid = in[1].shape;
  check(is_float(in[1].dtype), "(C2) a grid of type ", in[1].dtype);
  check(mode == GridMode::nearest || is_float(in[0].dtype) || is_integer(in[0].dtype),
        "(C2) no interpolation of ", in[0].dtype);
  for (const ShapeFact* shape : {&x, &grid})
    check(shape->is_open() || shape->rank() >= 3, "(C3) an operand of shape ", *shape);
  for (const ShapeFact* shape : {&x, &grid})
    check(shape->is_open() || shape->rank() <= most_axes(mode), "(C3) ", name_of(mode),
          " interpolation of an operand of shape ", *shape);
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
  check_data(x.size() >= 3 && x.size() == grid.size() && x.size() <= most_axes(mode),
             "(C3) a grid of shape ", Span(grid), " for x of shape ", Span(x));
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
