#pragma once

#include <string>

#include "kernel_ops/kernel_op.h"

/// What kernels say about themselves in a dump: which kernel it is, what it computes at once, for
/// which instruction set, and, where there was a choice, why it was chosen.
namespace strata {
namespace kernels {
struct Int8Products;
}

/// "kernel, tile, isa: why"
struct KernelChoice {
  std::string_view kernel;
  std::string tile;  ///< what is computed at once
  std::string_view isa;
  std::string why;  ///< empty where there was no choice

  std::string to_string() const;
};

/// The name of the set for kernels that go by vectors.
std::string_view vectors_of(Isa isa);

/// "tile of 8 x 16 rows by columns"
std::string tile_text(kernels::Index rows, kernels::Index columns, std::string_view of);
/// The largest tile there is.
std::string largest_tile(Isa isa, std::string_view of);

/// A kernel that goes over its numbers by vectors.
std::string explain_vectors(std::string_view kernel, Isa isa, std::string why = {});

/// A kernel that goes along one axis, with `inner` numbers side by side.
std::string explain_axis(std::string_view kernel, Isa isa, std::int64_t inner);
/// The same along this axis of x; negative counts from the end.
std::string explain_axis(std::string_view kernel, Isa isa, const Fact& x, std::int64_t axis);

/// One that goes along the innermost axis and turns rows of a few numbers.
std::string explain_turned(std::string_view kernel, Isa isa);

/// A kernel that moves runs, each all of x from axis `at` on: "kernel of 64 bytes".
std::string explain_runs(std::string_view kernel, const Fact& x, std::size_t at);

/// A product of f32 matrices.
std::string explain_product(const kernels::Gemm& product, Isa isa);
/// One whose sizes are not known before it runs.
std::string explain_product(Isa isa);

/// The same for bytes, with `rows` where they are known and sums of `depth` products, 0 if unknown.
std::string explain_integer_product(std::optional<kernels::Index> rows, kernels::Index depth,
                                    const kernels::Int8Products& kernels);
/// A convolution of bytes that is a product.
std::string explain_integer_conv(std::string_view kernel, const kernels::ConvShape& shape, Isa isa);

}  // namespace strata
