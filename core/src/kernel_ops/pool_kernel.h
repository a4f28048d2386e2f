#pragma once

#include "kernel_ops/blocked_image.h"
#include "strata/core/ops/pool.h"

namespace strata {

/// Whether kernels may go through the taps of its windows one by one, in the image and in padding.
bool suits_kernels(const Pool& pool) noexcept;

/// Whether the kernel of bytes can have its windows.
bool pools_bytes(const Pool& pool) noexcept;

/// The windows of a pool, as its attributes give them.
struct PoolWindows {
  const Shape &kernel, &strides, &dilations;
  const Padding& padding;

  /// Spatial axis i of a pool of an image x to `out`.
  AxisWindow axis(std::size_t i, Span x, Span out) const noexcept;
};

/// Max or average over windows of an f32 input, up to three spatial axes; of an image in blocks up
/// to two. Of bytes the max.
struct PoolKernel {
  static constexpr std::string_view name = "PoolKernel";
  PoolKind kind = PoolKind::max;
  Shape kernel;
  Shape strides;
  Shape dilations;
  Padding padding;
  WindowRounding rounding = WindowRounding::floor;
  bool count_padding = false;
  kernels::Layout layout = kernels::Layout::planes;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("kind", &PoolKernel::kind),
                      attr("kernel", &PoolKernel::kernel),
                      attr("strides", &PoolKernel::strides),
                      attr("dilations", &PoolKernel::dilations),
                      attr("padding", &PoolKernel::padding),
                      attr("rounding", &PoolKernel::rounding),
                      attr("count_padding", &PoolKernel::count_padding),
                      attr("layout", &PoolKernel::layout),
                      attr("isa", &PoolKernel::isa)};
  }
  Pool op() const {
    return {.kind = kind,
            .kernel = kernel,
            .strides = strides,
            .dilations = dilations,
            .padding = padding,
            .rounding = rounding,
            .count_padding = count_padding};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;

 private:
  void run_bytes(const KernelIo& io) const;
};
static_assert(OpDef<PoolKernel>);

}  // namespace strata
