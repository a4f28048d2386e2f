#include "kernel_ops/roi_align_kernel.h"

#include <algorithm>

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "ops/roi_axis.h"

namespace strata {
namespace {

using std::int64_t;

/// What the cells of one axis of a region are made of, in memory that holds `floats_for` floats.
class CellTable {
 public:
  /// The weights of all elements, and for each cell as many places and weights at most.
  static int64_t floats_for(int64_t size, int64_t cells) { return size + 2 * size * cells; }

  CellTable(float* memory, int64_t size, int64_t cells)
      : sums_(memory),
        weights_(memory + size),
        places_(reinterpret_cast<std::int32_t*>(memory + size + size * cells)),
        size_(size),
        cells_(cells) {}

  /// Cells of a region that runs backwards are made from its other end: places ascend.
  void fill(RoiAxis axis) {
    backwards_ = axis.cell < 0;
    if (backwards_) {
      axis.start += axis.cell * static_cast<double>(cells_);
      axis.cell = -axis.cell;
    }
    taps_ = 1;
    for (int64_t i = 0; i < cells_; ++i) taps_ = std::max(taps_, weigh(axis, i).count);
    begin_ = size_;
    end_ = 0;
    int64_t last = 0;
    for (int64_t i = 0; i < cells_; ++i) {
      const Band band = weigh(axis, i);
      if (band.count > 0) {
        begin_ = std::min(begin_, band.begin);
        end_ = std::max(end_, band.end);
      } else if (end_ > 0) {
        last = end_ - 1;
      }
      write(band, i, last);
    }
    begin_ = std::min(begin_, size_ - 1);
    end_ = std::max(end_, begin_ + 1);
    for (int64_t i = 0; i < taps_ * cells_; ++i)
      places_[i] = std::max(places_[i] - static_cast<std::int32_t>(begin_), 0);
  }

  /// As of inputs from `begin()` on.
  kernels::ResizedAxis axis() const { return {end_ - begin_, cells_, taps_, places_, weights_}; }
  int64_t begin() const { return begin_; }
  bool is_backwards() const { return backwards_; }

 private:
  /// The elements [begin, end) of a cell, of which `count` have a weight.
  struct Band {
    int64_t begin, end, count;
  };
  static constexpr float kUnused = -1;

  /// Sums up the weights that the samples of cell i give to elements.
  Band weigh(const RoiAxis& axis, int64_t i) {
    Band band{size_, 0, 0};
    const double share = 1 / static_cast<double>(axis.samples);
    for_each_inside(axis, i, size_, [&](const Between& at) {
      if (band.end == 0) band.begin = band.end = at.low;
      for (; band.end <= at.high; ++band.end) sums_[band.end] = kUnused;
      band.count += add(at.low, (1 - at.t) * share) + add(at.high, at.t * share);
    });
    return band;
  }
  /// Whether it is the first weight of this element.
  bool add(int64_t element, double weight) {
    const bool first = sums_[element] == kUnused;
    sums_[element] = (first ? 0 : sums_[element]) + static_cast<float>(weight);
    return first;
  }
  /// The taps of cell i; those it lacks weigh nothing, at its last place or at `otherwise`.
  void write(const Band& band, int64_t i, int64_t otherwise) {
    int64_t at = i;
    const auto put = [&](int64_t place, float weight) {
      places_[at] = static_cast<std::int32_t>(place);
      weights_[at] = weight;
      at += cells_;
    };
    for (int64_t element = band.begin; element < band.end; ++element)
      if (sums_[element] != kUnused) put(element, sums_[element]);
    while (at < taps_ * cells_) put(band.count > 0 ? band.end - 1 : otherwise, 0);
  }

  float* sums_;
  float* weights_;
  std::int32_t* places_;
  int64_t size_, cells_;
  int64_t taps_ = 1, begin_ = 0, end_ = 0;
  bool backwards_ = false;
};

void reverse_rows(float* y, int64_t rows, int64_t width) {
  for (int64_t i = 0; i < rows; ++i) std::reverse(y + i * width, y + (i + 1) * width);
}

/// Makes outputs with the tables of one region after the other.
class RoiResizer {
 public:
  static std::size_t scratch_floats(const RoiAlign& op, int64_t height, int64_t width) {
    return static_cast<std::size_t>(CellTable::floats_for(height, op.height) +
                                    CellTable::floats_for(width, op.width) + width);
  }

  RoiResizer(const RoiAlignKernel& op, const KernelIo& io, float* scratch)
      : op_(op),
        io_(io),
        rows_(scratch, x()[2], op.height),
        columns_(scratch + CellTable::floats_for(x()[2], op.height), x()[3], op.width),
        blended_(scratch + CellTable::floats_for(x()[2], op.height) +
                 CellTable::floats_for(x()[3], op.width)) {}

  /// Some channels of a region.
  void operator()(int64_t region, kernels::Range channels) {
    const float* roi = io_.inputs[1].as<float>() + 4 * region;
    columns_.fill(roi_axis(op_, roi[0], roi[2], op_.width));
    rows_.fill(roi_axis(op_, roi[1], roi[3], op_.height));
    const int64_t count = channels.end - channels.begin, rows = count * op_.height;
    const int64_t first = io_.inputs[2].as<int64_t>()[region] * x()[1] + channels.begin;
    kernels::Resize call{.outer = count, .rows = rows_.axis(), .columns = columns_.axis()};
    call.rows.in = x()[2];
    call.pitch = x()[3];
    call.x =
        io_.inputs[0].as<float>() + (first * x()[2] + rows_.begin()) * x()[3] + columns_.begin();
    call.y =
        io_.outputs[0].as<float>() + (region * x()[1] + channels.begin) * op_.height * op_.width;
    kernels::kernels(op_.isa).resize(call, {0, rows}, blended_);
    if (columns_.is_backwards()) reverse_rows(call.y, rows, op_.width);
    if (rows_.is_backwards()) turn_planes(call.y, count);
  }

 private:
  Span x() const { return io_.inputs[0].shape; }
  void turn_planes(float* y, int64_t count) const {
    const int64_t plane = op_.height * op_.width;
    reverse_rows(y, count, plane);
    reverse_rows(y, count * op_.height, op_.width);
  }

  const RoiAlignKernel& op_;
  const KernelIo& io_;
  CellTable rows_, columns_;
  float* blended_;
};

}  // namespace

FactList RoiAlignKernel::output_facts(Facts in) const { return RoiAlign::output_facts(in); }

std::size_t RoiAlignKernel::scratch_bytes(Facts in) const {
  const Shape x = *in[0].shape.concrete();
  return sizeof(float) * RoiResizer::scratch_floats(*this, x[2], x[3]);
}

void RoiAlignKernel::run(const KernelIo& io) const {
  const Span x = io.inputs[0].shape, rois = io.inputs[1].shape, out = io.outputs[0].shape;
  check_data(rois[1] == 4 && rois[0] == io.inputs[2].shape[0], "(C3) regions of shape ", rois,
             " for x of shape ", x);
  for (int64_t r = 0; r < rois[0]; ++r) {
    const int64_t item = io.inputs[2].as<int64_t>()[r];
    check_data(item >= 0 && item < x[0], "(C4) image ", item, " of ", x[0]);
  }
  if (volume(out) == 0) return;
  if (volume(x) == 0) {
    std::fill_n(io.outputs[0].as<float>(), volume(out), 0.0f);
    return;
  }
  const int64_t planes = rois[0] * x[1];
  const Cuts cuts{.n = planes,
                  .scratch_bytes = sizeof(float) * RoiResizer::scratch_floats(*this, x[2], x[3])};
  share_range(io, work_on(volume(out), 64), cuts, [&](kernels::Range range, std::byte* scratch) {
    RoiResizer resize(*this, io, reinterpret_cast<float*>(scratch));
    for (int64_t at = range.begin; at < range.end;) {
      const int64_t region = at / x[1], begin = at - region * x[1];
      const int64_t end = std::min(x[1], begin + range.end - at);
      resize(region, {begin, end});
      at += end - begin;
    }
  });
}

std::string RoiAlignKernel::explain(Facts, Facts) const {
  return explain_vectors("resampling of regions", isa, "tables for each region");
}

/// RoiAlign of f32 by averages -> RoiAlignKernel
Rewrite lower_roi_align(const NodeView& node, const Target& target) {
  const RoiAlign* align = node.op().as<RoiAlign>();
  if (!align || align->mode != RoiMode::average || !is_f32(node.input_fact(0)) ||
      !node.input_fact(0).shape.is_known() || !node.input_fact(1).shape.is_known() ||
      !node.input_fact(2).shape.is_known())
    return no_change;
  return replace(node, RoiAlignKernel{*align, target.isa}, node.inputs());
}

}  // namespace strata
