#include "strata/core/ops/roi_align.h"

#include <algorithm>

#include "ops/roi_axis.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Adds samples up, or keeps the greatest of their weighted neighbours.
struct Samples {
  RoiMode mode;
  double value = 0;
  std::int64_t count = 0;

  void add(const double* plane, std::int64_t width, const Between& y, const Between& x) {
    const bool outside = y.outside || x.outside;
    const double corners[] = {(1 - y.t) * (1 - x.t) * plane[y.low * width + x.low],
                              (1 - y.t) * x.t * plane[y.low * width + x.high],
                              y.t * (1 - x.t) * plane[y.high * width + x.low],
                              y.t * x.t * plane[y.high * width + x.high]};
    if (mode == RoiMode::average) {
      value += outside ? 0 : corners[0] + corners[1] + corners[2] + corners[3];
    } else {
      double greatest = corners[0];
      for (const double corner : corners) greatest = std::max(greatest, corner);
      if (outside) greatest = 0;
      value = count == 0 ? greatest : std::max(value, greatest);
    }
    ++count;
  }
  double result() const {
    return mode == RoiMode::average && count > 0 ? value / static_cast<double>(count) : value;
  }
};

/// All samples of an axis, cell by cell.
std::vector<Between> samples_of(const RoiAxis& axis, std::int64_t cells, std::int64_t size) {
  std::vector<Between> out;
  for (std::int64_t i = 0; i < cells; ++i)
    for (std::int64_t s = 0; s < axis.samples; ++s) out.push_back(between(axis.place(i, s), size));
  return out;
}

/// The samples of cell i.
std::span<const Between> part(std::span<const Between> all, std::int64_t i, std::int64_t cells) {
  const std::size_t samples = all.size() / static_cast<std::size_t>(cells);
  return all.subspan(static_cast<std::size_t>(i) * samples, samples);
}

double cell_value(RoiMode mode, const double* plane, std::int64_t width,
                  std::span<const Between> rows, std::span<const Between> columns) {
  Samples samples{mode};
  for (const Between& y : rows)
    for (const Between& x : columns) samples.add(plane, width, y, x);
  return samples.result();
}

}  // namespace

FactList RoiAlign::output_facts(Facts in) const {
  check(in.size() == 3, "(C1) RoiAlign takes 3 inputs, ", in.size(), " given");
  check(is_float(in[0].dtype) && in[1].dtype == in[0].dtype && in[2].dtype == DatumType::i64,
        "(C2) operands of ", in[0].dtype, ", ", in[1].dtype, " and ", in[2].dtype);
  const std::size_t ranks[] = {4, 2, 1};
  for (std::size_t i = 0; i < 3; ++i)
    check(in[i].shape.is_open() || in[i].shape.rank() == ranks[i], "(C3) input ", i,
          " has the shape ", in[i].shape);
  check(in[1].shape.is_open() || may_be_equal(in[1].shape[1], 4), "(C3) regions of shape ",
        in[1].shape);
  const Dim regions = in[1].shape.is_known()   ? in[1].shape[0]
                      : in[2].shape.is_known() ? in[2].shape[0]
                                               : fresh_dim();
  const Dim channels = in[0].shape.is_known() ? in[0].shape[1] : fresh_dim();
  return {Fact::tensor(in[0].dtype, std::vector<Dim>{regions, channels, height, width})};
}

TensorList RoiAlign::eval(Tensors in) const {
  const Shape& x = in[0].shape();
  check_data(x.size() == 4 && in[1].rank() == 2 && in[1].shape()[1] == 4 &&
                 in[2].size() == in[1].shape()[0],
             "(C3) regions of shape ", Span(in[1].shape()), " for x of shape ", Span(x));
  const Tensor images = cast(in[0], DatumType::f64), rois = cast(in[1], DatumType::f64);
  MutableTensor out(DatumType::f64, {in[1].shape()[0], x[1], height, width});
  double* to = out.as<double>().data();
  for (std::int64_t r = 0; r < rois.shape()[0]; ++r) {
    const double* roi = rois.as<double>().data() + 4 * r;
    const std::int64_t item = in[2].as<std::int64_t>()[static_cast<std::size_t>(r)];
    check_data(item >= 0 && item < x[0], "(C4) image ", item, " of ", x[0]);
    const std::vector<Between> columns =
                                   samples_of(roi_axis(*this, roi[0], roi[2], width), width, x[3]),
                               rows = samples_of(roi_axis(*this, roi[1], roi[3], height), height,
                                                 x[2]);
    for (std::int64_t c = 0; c < x[1]; ++c) {
      const double* plane = images.as<double>().data() + (item * x[1] + c) * x[2] * x[3];
      for (std::int64_t i = 0; i < height; ++i)
        for (std::int64_t j = 0; j < width; ++j)
          *to++ = cell_value(mode, plane, x[3], part(rows, i, height), part(columns, j, width));
    }
  }
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
