#include "strata/core/ops/roi_align.h"

#include <algorithm>
#include <array>
#include <limits>

#include "ops/operand_kinds.h"
#include "ops/roi_axis.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// The samples of a cell along one axis.
struct CellSamples {
  std::vector<Between> inside;
  std::int64_t count = 0;  ///< with those outside, which are 0
};

std::vector<CellSamples> samples_of(const RoiAxis& axis, std::int64_t cells, std::int64_t size) {
  std::vector<CellSamples> out(static_cast<std::size_t>(cells));
  for (std::int64_t i = 0; i < cells; ++i) {
    CellSamples& cell = out[static_cast<std::size_t>(i)];
    cell.count = axis.samples;
    for_each_inside(axis, i, size, [&](const Between& at) { cell.inside.push_back(at); });
  }
  return out;
}

/// The weighted neighbours of a sample.
std::array<double, 4> corners(const double* plane, std::int64_t width, const Between& y,
                              const Between& x) {
  return {(1 - y.t) * (1 - x.t) * plane[y.low * width + x.low],
          (1 - y.t) * x.t * plane[y.low * width + x.high],
          y.t * (1 - x.t) * plane[y.high * width + x.low],
          y.t * x.t * plane[y.high * width + x.high]};
}

/// The mean of all samples, or the greatest of their weighted neighbours; 0 without samples.
double cell_value(RoiMode mode, const double* plane, std::int64_t width, const CellSamples& rows,
                  const CellSamples& columns) {
  const double count = static_cast<double>(rows.count) * static_cast<double>(columns.count);
  const std::size_t inside = rows.inside.size() * columns.inside.size();
  const bool all_inside = inside > 0 && static_cast<double>(inside) == count;
  double sum = 0, greatest = all_inside ? -std::numeric_limits<double>::infinity() : 0;
  for (const Between& y : rows.inside)
    for (const Between& x : columns.inside) {
      const auto weighted = corners(plane, width, y, x);
      sum += weighted[0] + weighted[1] + weighted[2] + weighted[3];
      greatest = std::max(greatest, *std::ranges::max_element(weighted));
    }
  if (mode == RoiMode::max) return greatest;
  return count > 0 ? sum / count : 0;
}

}  // namespace

FactList RoiAlign::output_facts(Facts in) const {
  check_arity("(C1) RoiAlign", in, 3, 3);
  check(is_float(in[0].dtype) && in[1].dtype == in[0].dtype && in[2].dtype == DatumType::i64,
        "(C2) operands of ", in[0].dtype, ", ", in[1].dtype, " and ", in[2].dtype);
  const std::size_t ranks[] = {4, 2, 1};
  for (std::size_t i = 0; i < 3; ++i)
    check(may_have_rank(in[i].shape, ranks[i]), "(C3) input ", i, " has the shape ", in[i].shape);
  check(in[1].shape.is_open() || may_be_equal(in[1].shape[1], 4), "(C3) regions of shape ",
        in[1].shape);
  check(height >= 1 && width >= 1, "(C5) ", height, " by ", width, " cells");
  constexpr std::int64_t kMostSamples = 1 << 16;
  check(samples >= 0 && samples <= kMostSamples, "(C5) ", samples, " samples along a cell, of ",
        kMostSamples, " at most");
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
    const auto columns = samples_of(roi_axis(*this, roi[0], roi[2], width), width, x[3]);
    const auto rows = samples_of(roi_axis(*this, roi[1], roi[3], height), height, x[2]);
    for (std::int64_t c = 0; c < x[1]; ++c) {
      const double* plane = images.as<double>().data() + (item * x[1] + c) * x[2] * x[3];
      for (const CellSamples& row : rows)
        for (const CellSamples& column : columns)
          *to++ = cell_value(mode, plane, x[3], row, column);
    }
  }
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
