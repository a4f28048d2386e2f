#include "strata/core/ops/roi_align.h"

#include <algorithm>
#include <cmath>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// The two elements a place on one axis lies between, and the weight of the second; none outside.
struct Between {
  std::int64_t low = 0;
  std::int64_t high = 0;
  double t = 0;
  bool outside = false;
};

Between between(double at, std::int64_t size) {
  if (at < -1 || at > static_cast<double>(size)) return {.outside = true};
  at = std::max(at, 0.0);
  const auto low = static_cast<std::int64_t>(at);
  if (low >= size - 1) return {size - 1, size - 1, 0, false};
  return {low, low + 1, at - static_cast<double>(low), false};
}

/// One axis of a region.
struct RoiAxis {
  double start = 0;
  double cell = 1;  ///< elements of a cell
  std::int64_t samples = 1;

  double place(std::int64_t index, std::int64_t sample) const {
    const double within = (static_cast<double>(sample) + 0.5) / static_cast<double>(samples);
    return start + (static_cast<double>(index) + within) * cell;
  }
};

RoiAxis roi_axis(const RoiAlign& op, double begin, double end, std::int64_t cells) {
  const double offset = op.half_pixel ? 0.5 : 0;
  const double start = begin * op.scale - offset;
  double size = end * op.scale - offset - start;
  if (!op.half_pixel) size = std::max(size, 1.0);
  const double cell = size / static_cast<double>(cells);
  return {start, cell, op.samples > 0 ? op.samples : static_cast<std::int64_t>(std::ceil(cell))};
}

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
    const double sum = outside ? 0 : corners[0] + corners[1] + corners[2] + corners[3];
    const double greatest = outside ? 0 : *std::max_element(std::begin(corners), std::end(corners));
    if (mode == RoiMode::average)
      value += sum;
    else
      value = count == 0 ? greatest : std::max(value, greatest);
    ++count;
  }
  double result() const {
    return mode == RoiMode::average && count > 0 ? value / static_cast<double>(count) : value;
  }
};

double cell_value(const RoiAlign& op, const double* plane, const Shape& x, const RoiAxis& rows,
                  const RoiAxis& columns, std::int64_t row, std::int64_t column) {
  Samples samples{op.mode};
  for (std::int64_t i = 0; i < rows.samples; ++i)
    for (std::int64_t j = 0; j < columns.samples; ++j)
      samples.add(plane, x[3], between(rows.place(row, i), x[2]),
                  between(columns.place(column, j), x[3]));
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
    const RoiAxis columns = roi_axis(*this, roi[0], roi[2], width),
                  rows = roi_axis(*this, roi[1], roi[3], height);
    for (std::int64_t c = 0; c < x[1]; ++c) {
      const double* plane = images.as<double>().data() + (item * x[1] + c) * x[2] * x[3];
      for (std::int64_t i = 0; i < height; ++i)
        for (std::int64_t j = 0; j < width; ++j)
          *to++ = cell_value(*this, plane, x, rows, columns, i, j);
    }
  }
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
