#include <unordered_map>

#include "passes/passes.h"

namespace strata {
namespace {

/// Larger constants are not compared: reading them costs more than a second copy in a model is
/// worth looking for.
constexpr std::size_t kComparedBytes = 1 << 16;

bool is_mergeable(const TypedNode& node) {
  if (node.erased || node.op.as<Source>() || node.op.is_stateful()) return false;
  const Const* constant = node.op.as<Const>();
  return !constant ||
         (constant->value.is_tensor() && constant->value.tensor().byte_size() <= kComparedBytes);
}

std::size_t key_of(const TypedNode& node) {
  std::size_t key = node.op.hash();
  for (const OutletId input : node.inputs)
    key = key * 1099511628211ULL + (std::size_t{input.node} << 3) + input.slot;
  return key;
}

}  // namespace

std::size_t merge_equal_nodes(TypedModel& model) {
  std::unordered_multimap<std::size_t, std::uint32_t> seen;
  std::size_t merged = 0;
  for (const std::uint32_t id : model.order()) {
    const TypedNode& node = model.node(id);
    if (!is_mergeable(node)) continue;
    const std::size_t key = key_of(node);
    const auto [begin, end] = seen.equal_range(key);
    const auto twin = std::find_if(begin, end, [&](const auto& entry) {
      const TypedNode& other = model.node(entry.second);
      return other.inputs == node.inputs && other.op == node.op;
    });
    if (twin == end) {
      seen.emplace(key, id);
      continue;
    }
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      model.redirect({id, slot}, {twin->second, slot});
    model.erase(id);
    ++merged;
  }
  return merged;
}

}  // namespace strata
