#include "kernel_ops/lrn_kernel.h"

#include <algorithm>

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/lrn.h"

namespace strata {
namespace {

constexpr std::int64_t kPixels = 512;  ///< of one image that are normalised at once, or shared

}  // namespace

FactList LrnKernel::output_facts(Facts in) const {
  return Lrn{alpha, beta, bias, size}.output_facts(in);
}

void LrnKernel::run(const KernelIo& io) const {
  const Span shape = io.inputs[0].shape;
  const std::int64_t pixels = volume(shape.subspan(2)), image = shape[1] * pixels;
  if (shape[0] * image == 0) return;
  const kernels::Lrn call{.channels = shape[1],
                          .pixels = pixels,
                          .before = (size - 1) / 2,
                          .after = size / 2,
                          .alpha = alpha / static_cast<float>(size),
                          .beta = beta,
                          .bias = bias};
  const std::int64_t strips = (pixels + kPixels - 1) / kPixels;
  const double flops = 60 + 2 * static_cast<double>(std::min(size, shape[1]));
  share_range(io, work_on(shape[0] * image, flops), shape[0] * strips, 1, [&](auto range) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t at = i / strips * image, first = i % strips * kPixels;
      kernels::Lrn part = call;
      part.x = io.inputs[0].as<float>() + at;
      part.y = io.outputs[0].as<float>() + at;
      kernels::kernels(isa).lrn(part, {first, std::min(first + kPixels, pixels)});
    }
  });
}

std::string LrnKernel::explain(Facts, Facts) const {
  return explain_vectors("norm across channels", isa, "vectors lie along pixels");
}

/// Lrn of f32 -> LrnKernel, where it divides by numbers above zero
Rewrite lower_lrn(const NodeView& node, const Target& target) {
  const Lrn* lrn = node.op().as<Lrn>();
  if (!lrn || !is_f32(node.input_fact(0)) || node.input_fact(0).shape.is_open()) return no_change;
  const bool fits = lrn->alpha > 0 && lrn->alpha < 0x1p64F && lrn->beta > 0 && lrn->beta <= 16 &&
                    lrn->bias >= 0x1p-10F && lrn->bias < 0x1p64F;
  if (!fits) return no_change;
  return replace(node, LrnKernel{lrn->alpha, lrn->beta, lrn->bias, lrn->size, target.isa},
                 node.inputs());
}

}  // namespace strata
