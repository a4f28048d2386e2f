#include "kernel_ops/kernel_choice.h"

#include <algorithm>

#include "kernel_ops/movement.h"
#include "kernels/int8.h"

namespace strata {
namespace {

using kernels::GemmPlan;
using kernels::GemmWay;
using kernels::Index;

constexpr Index kManyRows = 1 << 20;  ///< more than any tile has, and a multiple of few

/// How much of the rows of their tiles some rows fill.
std::string filled(Index rows, Index step) {
  if (rows == 0) return "no rows";
  const Index tiles = (rows + step - 1) / step;
  return cat(rows, rows == 1 ? " row takes " : " rows take ", counted(tiles, "tile"), " of ", step,
             ", ", 100 * rows / (tiles * step), " % full");
}

}  // namespace

std::string_view vectors_of(Isa isa) { return to_string(std::min(isa, Isa::avx512)); }

std::string KernelChoice::to_string() const {
  return cat(kernel, ", ", tile, ", ", isa, why.empty() ? "" : ": ", why);
}

std::string tile_text(Index rows, Index columns, std::string_view of) {
  return cat("tile of ", rows, " x ", columns, ' ', of);
}

std::string largest_tile(Isa isa, std::string_view of) {
  const kernels::KernelTable& table = kernels::kernels(isa);
  return tile_text(table.gemm_row_step(kManyRows), table.gemm_column_step(), of);
}

std::string explain_vectors(std::string_view kernel, Isa isa, std::string why) {
  const Index lanes = kernels::kernels(isa).lanes;
  return KernelChoice{kernel, cat("vectors of ", lanes), vectors_of(isa), std::move(why)}
      .to_string();
}

std::string explain_axis(std::string_view kernel, Isa isa, std::int64_t inner) {
  return explain_vectors(kernel, isa,
                         inner == 1 ? "its axis is the innermost, so vectors lie along it"
                                    : "vectors lie across its axis, which is not the innermost");
}

std::string explain_axis(std::string_view kernel, Isa isa, const Fact& x, std::int64_t axis) {
  const auto run = run_bytes(x, axis_from_start(axis, x.shape.rank()) + 1);
  return run ? explain_axis(kernel, isa, *run * 8 / static_cast<std::int64_t>(bit_width(x.dtype)))
             : explain_vectors(kernel, isa);
}

std::string explain_turned(std::string_view kernel, Isa isa) {
  return explain_vectors(kernel, isa,
                         "its rows are short, so they are turned and vectors lie across them");
}

std::string explain_runs(std::string_view kernel, const Fact& x, std::size_t at) {
  const auto bytes = run_bytes(x, at);
  return bytes ? cat(kernel, " of ", *bytes, " bytes")
               : cat(kernel, " as long as the sizes have them");
}

std::string explain_product(const kernels::Gemm& product, Isa isa) {
  const GemmPlan plan = kernels::kernels(isa).gemm_plan(product);
  if (plan.way == GemmWay::dots)
    return KernelChoice{"product", tile_text(plan.rows, plan.columns, "rows by columns"),
                        vectors_of(isa),
                        cat(counted(product.n, "column"),
                            " would leave lanes empty, so vectors lie along the steps")}
        .to_string();
  if (plan.way != GemmWay::tiles)
    return explain_vectors("product with a vector", isa,
                           cat("one ", plan.way == GemmWay::row ? "row" : "column",
                               ", so the matrix is read once, where it lies"));
  const Index passes = product.k == 0 ? 1 : (product.k + plan.depth - 1) / plan.depth;
  return KernelChoice{
      "product", tile_text(plan.rows, plan.columns, "rows by columns"), vectors_of(isa),
      cat(filled(product.m, plan.rows), "; ", passes, passes == 1 ? " pass" : " passes", " of ",
          plan.depth, " steps; ",
          product.packed_b ? "b is packed before" : "b is packed, or read as it lies")}
      .to_string();
}

std::string explain_product(Isa isa) {
  return KernelChoice{"product", largest_tile(isa, "rows by columns"), vectors_of(isa),
                      "lower ones for fewer rows, none for a vector"}
      .to_string();
}

std::string explain_integer_product(std::optional<Index> rows, Index depth,
                                    const kernels::Int8Products& kernels) {
  const Index m = rows && *rows > 0 ? *rows : kManyRows, k = depth > 0 ? depth : kManyRows;
  const Index step = kernels.row_step(m, k);
  return KernelChoice{"product of bytes", tile_text(step, kernels.column_step, "rows by columns"),
                      kernels.product_name ? kernels.product_name(m, k) : kernels.name,
                      rows ? filled(*rows, step) : ""}
      .to_string();
}

std::string explain_integer_conv(std::string_view kernel, const kernels::ConvShape& shape,
                                 Isa isa) {
  const kernels::Int8Kernels& kernels = kernels::int8_kernels(isa);
  const Index step = kernels.conv_method(shape).channel_step(shape);
  return KernelChoice{kernel, tile_text(step, kernels.column_step, "rows by columns"),
                      kernels.conv_name ? kernels.conv_name(shape) : kernels.name,
                      filled(shape.out_channels, step)}
      .to_string();
}

}  // namespace strata
