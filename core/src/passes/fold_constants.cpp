#include <algorithm>
#include <cstring>

#include "deferred_tensor.h"
#include "passes/passes.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/transpose.h"

namespace strata {
namespace {

/// Results up to this size are folded even when their operands are smaller.
constexpr double kAlwaysFoldedBytes = 1 << 20;
constexpr double kGrowth = 4;
/// Nodes with more work are left to the run, which may have a time limit.
constexpr double kMostFlops = 4e9;

Cost memory_cost(const NodeView& node) {
  return strata::memory_cost(node.input_facts(), node.output_facts());
}

/// Whether the node gives symbolic sizes of a type other than i64, which constants of symbolic
/// sizes always have.
bool gives_narrow_sizes(const NodeView& node) {
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Fact& fact = node.output_fact(i);
    if (fact.dtype != DatumType::i64 && fact.dims() && !fact.constant()) return true;
  }
  return false;
}

/// Whether it widens many bytes to i32, as for an integer product: kernels look through the Cast to
/// the bytes.
bool widens_weights(const NodeView& node) {
  constexpr double kMany = 1 << 14;  // bytes that are written
  const Cast* cast = node.op().as<Cast>();
  if (!cast || cast->to != DatumType::i32) return false;
  const DatumType from = node.input_fact(0).dtype;
  return (from == DatumType::u8 || from == DatumType::i8) &&
         memory_cost(node).bytes_written > kMany;
}

/// Whether the node computes something from constants alone, and always the same.
bool is_foldable(const NodeView& node) {
  if (node.op().as<Source>() || node.op().as<Const>() || node.op().is_stateful()) return false;
  if (gives_narrow_sizes(node)) return false;
  return std::all_of(node.inputs().begin(), node.inputs().end(), [&](const OutletId input) {
    return node.model.node(input.node).op.as<Const>() != nullptr;
  });
}

/// Distinguishes the op from others of its name. Unlike texts for people, it shortens no list.
std::string key_of(const TypedOp& op) {
  std::string key(op.name());
  for (const NamedAttr& attribute : op.attributes()) {
    const auto* numbers = std::get_if<std::vector<std::int64_t>>(&attribute.value);
    key += cat(' ', attribute.name, ' ', numbers ? cat(*numbers) : attr_text(attribute.value));
  }
  return key;
}

/// Fills `to`, whose size is a multiple of that of `element`, with copies of it.
void repeat(std::span<const std::byte> element, std::span<std::byte> to) {
  constexpr std::size_t kMost = 1 << 12;  // of what is copied, so that it stays in the first cache
  if (to.empty()) return;
  std::memcpy(to.data(), element.data(), element.size());
  for (std::size_t done = element.size(); done < to.size();) {
    const std::size_t next = std::min({done, kMost, to.size() - done});
    std::memcpy(to.data() + done, to.data(), next);
    done += next;
  }
}

bool only_moves(const TypedOp& op) {
  return op.as<Concat>() || op.as<Expand>() || op.as<Slice>() || op.as<Transpose>();
}

/// How `op` moves the elements of constants, with `row_bytes` for each place of the leading axis.
Recipe moves(const TypedOp& op, TensorList constants, std::size_t row_bytes) {
  Recipe recipe{.key = key_of(op), .sources = std::move(constants), .fill = {}, .only_moves = true};
  recipe.by_rows = op.as<Expand>() && recipe.sources.front().size() == 1;
  if (recipe.by_rows)
    recipe.fill = [row_bytes](const TensorList& sources, RowRange rows, std::byte* to) {
      const auto count = static_cast<std::size_t>(rows.end - rows.begin);
      repeat(sources.front().bytes(), {to, count * row_bytes});
    };
  else
    recipe.fill = [op](const TensorList& sources, RowRange, std::byte* to) {
      const ValueList results = op.eval(ValueList(sources.begin(), sources.end()));
      const auto bytes = results.front().tensor().bytes();
      std::memcpy(to, bytes.data(), bytes.size());
    };
  return recipe;
}

/// The result of moving the elements of constants, computed when it is read: weights of a branch
/// that is never taken never are.
std::optional<Tensor> moved_later(const NodeView& node, const ValueList& values) {
  const TypedOp& op = node.op();
  if (!only_moves(op)) return std::nullopt;
  const Fact& fact = node.output_fact();
  const auto shape = fact.shape.concrete();
  if (!shape || shape->empty() || bit_width(fact.dtype) < 8) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(element_count(*shape)) * bit_width(fact.dtype) / 8;
  if (bytes < kLaterBytes) return std::nullopt;
  TensorList constants;
  std::size_t recipes = 0;
  for (const Value& value : values) {
    constants.push_back(value.tensor());
    recipes += recipe_count(value.tensor());
  }
  if (recipes >= kMostRecipes) return std::nullopt;
  const std::size_t row_bytes = bytes / static_cast<std::size_t>((*shape)[0]);
  return deferred(fact.dtype, *shape, moves(op, std::move(constants), row_bytes));
}

/// The results as constants, where they take no more than `most` bytes.
Rewrite folded(const NodeView& node, const Limits& limits, const Cost& cost, std::int64_t most) {
  if (cost.bytes_written > static_cast<double>(most)) return no_change;
  if (node.op().cost(node.input_facts(), node.output_facts()).flops > kMostFlops) return no_change;
  ValueList values;
  values.reserve(node.inputs().size());
  for (std::size_t i = 0; i < node.inputs().size(); ++i)
    values.push_back(*node.producer_as<Const>(i)->value);
  if (auto later = moved_later(node, values))
    return replace_by_constants(node, {*std::move(later)});
  Limits folding = limits;
  folding.total_bytes = most;
  const MemoryScope scope(folding);
  try {
    return replace_by_constants(node, node.op().eval(values));
  } catch (const Error&) {
    return no_change;  // it will fail, and be reported, in the run
  }
}

}  // namespace

Rewrite fold_constants(const NodeView& node, const Limits& limits) {
  // Dequantize is kept: rules find products of bytes by it, and files stay small.
  if (!is_foldable(node) || node.op().as<Dequantize>() || widens_weights(node)) return no_change;
  const Cost cost = memory_cost(node);
  const double most = std::max(kAlwaysFoldedBytes, kGrowth * cost.bytes_read);
  return folded(node, limits, cost, std::min(limits.fold_bytes, static_cast<std::int64_t>(most)));
}

Rewrite fold_large_constants(const NodeView& node, const Limits& limits) {
  if (!is_foldable(node)) return no_change;
  return folded(node, limits, memory_cost(node), limits.fold_bytes);
}

Rewrite materialize_known_values(const NodeView& node, const Limits&) {
  if (node.op().as<Source>() || node.op().as<Const>() || node.op().is_stateful()) return no_change;
  ValueList values;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Tensor* known = node.output_fact(i).constant();
    if (!known) return no_change;
    values.push_back(*known);
  }
  if (values.empty()) return no_change;
  return replace_by_constants(node, values);
}

}  // namespace strata
