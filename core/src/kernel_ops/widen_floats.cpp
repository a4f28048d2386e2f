#include <limits>

#include "deferred_tensor.h"
#include "kernel_ops/cast_kernel.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/narrow_floats.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/unary_kernel.h"
#include "passes/op_traits.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/cumulate.h"
#include "strata/core/ops/deconv.h"
#include "strata/core/ops/grid_sample.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/lrn.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/resize.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/top_k.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

constexpr std::string_view kWidened = "widened";  ///< of a recipe

/// A test for NaN or infinity: it looks at bits alone.
bool tests_bits(const TypedOp& op) {
  const Unary* unary = op.as<Unary>();
  return unary && (unary->op == UnaryOp::is_nan || unary->op == UnaryOp::is_inf);
}

/// Whether the op computes; those that the rule begins at else move elements, or test bits.
bool computes(const TypedOp& op) {
  return op.as<Conv>() || op.as<Cumulate>() || op.as<Deconv>() || op.as<GridSample>() ||
         op.as<LayerNorm>() || op.as<Lrn>() || op.as<MatMul>() || op.as<Pool>() ||
         op.as<Reduce>() || op.as<Resize>() || op.as<Softmax>() || op.as<TopK>() ||
         (is_elementwise(op) && !tests_bits(op));
}

/// Whether an op on f32 that are narrow floats gives such as well.
bool keeps_narrow(const TypedOp& op) {
  if (const Pool* pool = op.as<Pool>()) return pool->kind == PoolKind::max;
  return !computes(op) && !op.as<Cast>();
}

/// The f32 wire that input `i` is, number for number.
std::optional<OutletId> wide_origin(const NodeView& node, std::size_t i) {
  const CastKernel* cast = node.producer_as<CastKernel>(i);
  if (!cast || !cast->exact) return std::nullopt;
  return node.producer(i).input(0);
}

/// What there is of narrow floats among the inputs.
struct NarrowInputs {
  bool any = false;
  bool from_wide = false;   ///< one is an f32 wire, number for number
  bool from_other = false;  ///< one is neither that nor a constant
};

NarrowInputs narrow_inputs(const NodeView& node) {
  NarrowInputs found;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    if (!narrow_float(node.input_fact(i).dtype)) continue;
    found.any = true;
    const bool is_wide = wide_origin(node, i).has_value();
    found.from_wide |= is_wide;
    found.from_other |= !is_wide && !node.input_fact(i).constant();
  }
  return found;
}

/// What moves elements moves them in f32 where all of them are that.
bool is_widened(const NodeView& node) {
  if (!moves_bytes(node)) return false;
  if (const Cast* cast = node.op().as<Cast>())
    return is_f32(node.input_fact(0)) && narrow_float(cast->to) &&
           !node.model.successors(node.output()).empty();
  const NarrowInputs in = narrow_inputs(node);
  return in.any && (computes(node.op()) || (in.from_wide && !in.from_other));
}

/// The constant in f32, computed when it is read where it is large: packing then widens some rows
/// at a time.
Tensor widened(const Tensor& constant) {
  if (constant.byte_size() < kLaterBytes || recipe_count(constant) >= kMostRecipes)
    return cast(constant, DatumType::f32);
  const auto type = *narrow_float(constant.dtype());
  const std::int64_t row = constant.size() / constant.shape()[0];
  const auto fill = [type, row](const std::vector<Tensor>& sources, RowRange rows, std::byte* to) {
    const StoredBytes stored = stored_bytes(sources.front());  // widening does not mind where
    const auto* from = reinterpret_cast<const std::uint16_t*>(stored.bytes.data());
    kernels::kernels(active_isa())
        .widen_floats(type, from + rows.begin * row, reinterpret_cast<float*>(to),
                      (rows.end - rows.begin) * row);
  };
  return deferred(
      DatumType::f32, constant.shape(),
      {.key = std::string(kWidened), .sources = {constant}, .fill = fill, .by_rows = true});
}

OutletId wired(Patch& patch, std::string_view name, TypedOp op, OutletId input) {
  return patch.wire_one(name, std::move(op), {input});
}

OutletId wide_input(const NodeView& node, std::size_t i, Patch& patch) {
  const Fact& fact = node.input_fact(i);
  if (!narrow_float(fact.dtype)) return node.input(i);
  if (const auto origin = wide_origin(node, i)) return *origin;
  if (const Tensor* constant = fact.constant()) return patch.constant("wide", widened(*constant));
  return wired(patch, "wide", Cast{DatumType::f32}, node.input(i));
}

/// What stands for an output of the node whose numbers `wide` has: rounded in f32 where another op
/// may read it there, else by the conversion.
OutletId narrowed(const NodeView& node, OutletId output, OutletId wide, Isa isa, Patch& patch) {
  CastKernel narrow{.to = node.model.fact(output).dtype, .isa = isa};
  if (!narrow_float(narrow.to)) return wide;
  narrow.exact = !node.model.successors(output).empty();
  if (narrow.exact && !keeps_narrow(node.op())) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const auto round =
        narrow.to == DatumType::f16 ? kernels::Unary::to_f16 : kernels::Unary::to_bf16;
    wide = wired(patch, "rounded", UnaryKernel{{round, -kInfinity, kInfinity}, isa}, wide);
  }
  return wired(patch, "narrow", narrow, wide);
}

}  // namespace

std::optional<Tensor> widened_from(const Tensor& wide) {
  const auto recipe = recipe_of(wide);
  if (!recipe || recipe->key != kWidened) return std::nullopt;
  return recipe->sources.front();
}

/// f(x..) of f16 or bf16  ->  narrow(round(f(wide(x)..))) in f32, and without the rounding where f
/// makes narrow numbers of narrow ones; wide(narrow(x)) is x, so ops one behind the other stay in
/// f32. Of a Cast from f32 the rounding comes apart likewise.
///
/// A sum, difference, product, quotient or root of narrow floats rounded to f32 and then again is
/// what rounding it once would give, for f32 has more than twice the bits.
Rewrite widen_floats(const NodeView& node, const Target& target) {
  if (!is_widened(node)) return no_change;
  Patch patch(node);
  OutletIds wide = node.inputs();
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = wide_input(node, i, patch);
  if (!node.op().as<Cast>()) wide = patch.wire("", node.op(), wide);
  for (std::uint32_t slot = 0; slot < node.output_count(); ++slot)
    patch.shunt(node.output(slot),
                narrowed(node, node.output(slot), wide[slot], target.isa, patch));
  return patch;
}

/// wide(narrow(x))  ->  x
Rewrite cancel_narrowing(const NodeView& node, const Target&) {
  const auto origin = wide_origin(node, 0);
  if (!origin || node.output_fact().dtype != DatumType::f32) return no_change;
  return bypass(node, *origin);
}

}  // namespace strata
