#include "strata/core/ops/roi_pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/operand_kinds.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Coordinates beyond this are all outside any image.
constexpr double kFarthest = 1e9;

/// Elements [begin, end) of one axis.
struct Stretch {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// One axis of a region.
struct RoiAxis {
  double start = 0;
  double size = 1;

  Stretch cell(std::int64_t i, std::int64_t cells, std::int64_t extent) const {
    const double step = size / static_cast<double>(cells);
    const auto clipped = [&](double at) {
      return static_cast<std::int64_t>(std::clamp(start + at, 0.0, static_cast<double>(extent)));
    };
    return {clipped(std::floor(static_cast<double>(i) * step)),
            clipped(std::ceil(static_cast<double>(i + 1) * step))};
  }
};

std::vector<Stretch> cells_of(const RoiAxis& axis, std::int64_t cells, std::int64_t extent) {
  std::vector<Stretch> out;
  for (std::int64_t i = 0; i < cells; ++i) out.push_back(axis.cell(i, cells, extent));
  return out;
}

RoiAxis roi_axis(double first, double last, double scale) {
  check_data(std::isfinite(first) && std::isfinite(last), "a region from ", first, " to ", last);
  const double start = std::clamp(std::round(first * scale), -kFarthest, kFarthest),
               end = std::clamp(std::round(last * scale), -kFarthest, kFarthest);
  return {start, std::max(end - start + 1, 1.0)};
}

double greatest(const double* plane, std::int64_t width, const Stretch& rows,
                const Stretch& columns) {
  if (rows.begin >= rows.end || columns.begin >= columns.end) return 0;
  double out = -std::numeric_limits<double>::infinity();
  for (std::int64_t y = rows.begin; y < rows.end; ++y)
    for (std::int64_t x = columns.begin; x < columns.end; ++x)
      out = std::max(out, plane[y * width + x]);
  return out;
}

}  // namespace

FactList RoiPool::output_facts(Facts in) const {
  check_arity("(C1) RoiPool", in, 2, 2);
  check(is_float(in[0].dtype) && in[1].dtype == in[0].dtype,
        "(C1) RoiPool takes inputs of one float type, ", in[0].dtype, " and ", in[1].dtype,
        " given");
  const Fact &x = in[0], &rois = in[1];
  check(may_have_rank(x.shape, 4), "(C2) x has the shape ", x.shape);
  check(rois.shape.is_open() || (rois.shape.rank() == 2 && may_be_equal(rois.shape[1], 5)),
        "(C2) regions of shape ", rois.shape);
  check(height >= 1 && width >= 1, "(C4) ", height, " by ", width, " cells");
  const Dim regions = rois.shape.is_known() ? rois.shape[0] : fresh_dim();
  const Dim channels = x.shape.is_known() ? x.shape[1] : fresh_dim();
  return {Fact::tensor(x.dtype, std::vector<Dim>{regions, channels, height, width})};
}

TensorList RoiPool::eval(Tensors in) const {
  const Shape &x = in[0].shape(), &regions = in[1].shape();
  check_data(x.size() == 4 && regions.size() == 2 && regions[1] == 5, "(C2) regions of shape ",
             Span(regions), " for x of shape ", Span(x));
  const Tensor images = cast(in[0], DatumType::f64), rois = cast(in[1], DatumType::f64);
  MutableTensor out(DatumType::f64, {regions[0], x[1], height, width});
  double* to = out.as<double>().data();
  const double* roi = rois.as<double>().data();
  for (std::int64_t r = 0; r < regions[0]; ++r, roi += 5) {
    check_data(roi[0] >= 0 && roi[0] < static_cast<double>(x[0]), "(C3) image ", roi[0], " of ",
               x[0]);
    const std::vector<Stretch> columns = cells_of(roi_axis(roi[1], roi[3], scale), width, x[3]),
                               rows = cells_of(roi_axis(roi[2], roi[4], scale), height, x[2]);
    for (std::int64_t c = 0; c < x[1]; ++c) {
      const std::int64_t plane = static_cast<std::int64_t>(roi[0]) * x[1] + c;
      const double* from = images.as<double>().data() + plane * x[2] * x[3];
      for (const Stretch& row : rows)
        for (const Stretch& column : columns) *to++ = greatest(from, x[3], row, column);
    }
  }
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
