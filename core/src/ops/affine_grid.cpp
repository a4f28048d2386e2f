#include "strata/core/ops/affine_grid.h"

#include "ops/movement.h"
#include "ops/operand_kinds.h"

namespace strata {
namespace {

double coordinate(std::int64_t index, std::int64_t extent, GridCorners corners) {
  const auto at = static_cast<double>(index), size = static_cast<double>(extent);
  if (corners == GridCorners::edges) return (2 * at + 1) / size - 1;
  return extent == 1 ? 0 : 2 * at / (size - 1) - 1;
}

std::vector<double> coordinates(std::int64_t extent, GridCorners corners) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < extent; ++i) out.push_back(coordinate(i, extent, corners));
  return out;
}

/// A coordinate of the places along a row of the image: `first`, and `step` for each of that of the
/// row.
struct RowCoordinate {
  double first, step;
};

/// By some factors: the first is that of the last axis, the one behind all axes stands by itself.
RowCoordinate along_row(const double* factors, const Shape& index, const Shape& image,
                        GridCorners corners) {
  double first = factors[image.size()];
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    first += factors[index.size() - axis] * coordinate(index[axis], image[axis], corners);
  return {first, factors[0]};
}

/// The grid of one image, whose matrix is [axes, axes + 1].
template <class T>
T* write_grid(const double* matrix, const Shape& image, GridCorners corners, T* to) {
  const std::size_t axes = image.size();
  const std::vector<double> along = coordinates(image.back(), corners);
  for_each_index(Span(image).first(axes - 1), [&](const Shape& index) {
    for (std::size_t row = 0; row < axes; ++row) {
      const auto [first, step] = along_row(matrix + row * (axes + 1), index, image, corners);
      for (std::size_t i = 0; i < along.size(); ++i)
        to[i * axes + row] = static_cast<T>(first + step * along[i]);
    }
    to += along.size() * axes;
  });
  return to;
}

}  // namespace

FactList AffineGrid::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const ShapeFact& theta = in[0].shape;
  check(is_float(in[0].dtype) && may_have_rank(theta, 3), "(C1) theta is ", in[0]);
  check(may_be_integer_vector(in[1]), "(C2) size is ", in[1]);
  const auto size = in[1].dims();
  if (!size) {
    const auto length = known_length(in[1]);
    return {Fact::tensor(
        in[0].dtype, length ? fresh_shape(static_cast<std::size_t>(*length)) : ShapeFact::open())};
  }
  check(size->size() == 4 || size->size() == 5, "(C2) the size is ", *size);
  const std::size_t axes = size->size() - 2;
  if (theta.is_known()) {
    check(may_be_equal(theta[1], Dim(axes)) && may_be_equal(theta[2], Dim(axes + 1)),
          "(C1) theta has shape ", theta, " for a size of ", *size);
    check(may_be_equal(theta[0], (*size)[0]), "(C3) theta has shape ", theta, " for a size of ",
          *size);
  }
  std::vector<Dim> dims{(*size)[0]};
  append(dims, std::span(*size).subspan(2));
  dims.push_back(Dim(axes));
  return {Fact::tensor(in[0].dtype, std::move(dims))};
}

TensorList AffineGrid::eval(Tensors in) const {
  const Tensor& theta = in[0];
  const Shape size = to_integers(in[1]);
  check_data(size.size() == 4 || size.size() == 5, "(C2) the size is ", Span(size));
  const auto axes = static_cast<std::int64_t>(size.size()) - 2;
  check_data(theta.shape() == Shape({size[0], axes, axes + 1}), "(C1) (C3) theta has shape ",
             Span(theta.shape()), " for a size of ", Span(size));
  const Shape image(Span(size).subspan(2));
  Shape shape{size[0]};
  for (const std::int64_t extent : image) shape.push_back(extent);
  shape.push_back(axes);
  const Tensor wide = cast(theta, DatumType::f64);
  const bool is_float = theta.dtype() == DatumType::f32;
  MutableTensor out(is_float ? DatumType::f32 : DatumType::f64, shape);
  const auto write = [&](auto* to) {
    const double* matrix = wide.as<double>().data();
    for (std::int64_t n = 0; n < size[0]; ++n, matrix += axes * (axes + 1))
      to = write_grid(matrix, image, corners, to);
  };
  if (is_float)
    write(out.as<float>().data());
  else
    write(out.as<double>().data());
  return {cast(std::move(out).freeze(), theta.dtype())};
}

}  // namespace strata
