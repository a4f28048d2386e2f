#include <algorithm>
#include <cstring>

#include "deferred_tensor.h"
#include "kernel_ops/matmul_kernel.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/split_kernel.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

/// Fewer weights stay in a cache in whatever order they are read.
constexpr std::int64_t kWorthJoining = std::int64_t{1} << 16;

/// Whether the product is one of one row and constant weights that fill their packed panels, with a
/// constant bias or none.
bool is_joinable(const NodeView& node) {
  const MatMulKernel* product = node.op().as<MatMulKernel>();
  if (!product || product->packed_k == 0 || product->residual) return false;
  const ShapeFact& y = node.output_fact(0).shape;
  if (y.is_open() || y.rank() == 0 ||
      !std::all_of(y.dims().begin(), y.dims().end() - 1, [](const Dim& d) { return d == Dim(1); }))
    return false;
  for (std::size_t i = 1; i < node.inputs().size(); ++i)
    if (!node.input_fact(i).constant()) return false;
  return product->packed_n % kernels::kernels(product->isa).gemm_column_step() == 0;
}

/// Whether two products differ in nothing but their weights.
bool are_alike(const NodeView& a, const NodeView& b) {
  MatMulKernel one = *a.op().as<MatMulKernel>();
  one.packed_n = b.op().as<MatMulKernel>()->packed_n;
  return TypedOp(one) == b.op() && a.inputs().size() == b.inputs().size();
}

/// All products of the left operand that are like this one.
std::vector<NodeView> products_like(const NodeView& node) {
  std::vector<NodeView> out;
  for (const InletId reader : node.model.successors(node.input(0)))
    if (const NodeView other{node.model, reader.node};
        reader.slot == 0 && is_joinable(other) && are_alike(node, other))
      out.push_back(other);
  return out;
}

/// The elements of flat tensors of f32, one tensor after the other. What is still to be computed is
/// computed where it will lie.
Tensor joined(std::vector<Tensor> parts) {
  std::int64_t size = 0;
  for (const Tensor& part : parts) size += static_cast<std::int64_t>(part.size());
  const auto fill = [](const std::vector<Tensor>& sources, RowRange, std::byte* to) {
    for (const Tensor& source : sources) {
      const auto rows = static_cast<std::int64_t>(source.size());
      if (const auto recipe = recipe_of(source))
        recipe->fill(recipe->sources, {0, rows}, to);
      else
        std::memcpy(to, source.data(), source.byte_size());
      to += source.byte_size();
    }
  };
  return deferred(DatumType::f32, {size},
                  {.key = "joined", .sources = std::move(parts), .fill = fill});
}

}  // namespace

/// x A, x B, ... -> Split(x [A B ...]), for a row x: one product reads all weights, alternately
/// forwards and backwards
Rewrite join_products(const NodeView& node, const Target&) {
  if (!is_joinable(node)) return no_change;
  const std::vector<NodeView> products = products_like(node);
  MatMulKernel whole = *node.op().as<MatMulKernel>();
  whole.packed_n = 0;
  std::vector<std::int64_t> sizes;
  for (const NodeView& product : products) {
    sizes.push_back(product.op().as<MatMulKernel>()->packed_n);
    whole.packed_n += sizes.back();
  }
  if (products.size() < 2 || whole.packed_k * whole.packed_n < kWorthJoining) return no_change;
  Patch patch(node);
  OutletIds inputs{node.input(0)};
  for (std::size_t i = 1; i < node.inputs().size(); ++i) {
    std::vector<Tensor> parts;
    parts.reserve(products.size());
    for (const NodeView& product : products) parts.push_back(*product.input_fact(i).constant());
    inputs.push_back(patch.constant(i == 1 ? "packed" : "bias", joined(std::move(parts))));
  }
  const OutletId y = patch.wire_one("joined", whole, inputs);
  const auto count = static_cast<std::int64_t>(sizes.size());
  const OutletId cuts = patch.constant("sizes", Tensor::of<std::int64_t>({count}, sizes));
  const OutletIds parts = patch.wire("parts", SplitKernel{-1, sizes.size()}, {y, cuts});
  for (std::size_t i = 0; i < products.size(); ++i) patch.shunt(products[i].output(), parts[i]);
  return patch;
}

}  // namespace strata
