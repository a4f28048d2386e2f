#include "deferred_tensor.h"
#include "passes/passes.h"

namespace strata {
namespace {

/// Larger constants are told apart by samples, and read further only when these are equal. There are
/// few, for each may lie in a page of a file that nobody has read yet.
constexpr std::size_t kHashedBytes = 1 << 10, kSamples = 4, kSampleBytes = 64;

bool is_mergeable(const TypedNode& node) {
  return !node.erased && !node.op.as<Source>() && !node.op.is_stateful();
}

std::size_t mixed(std::size_t key, std::size_t more) { return key * 1099511628211ULL + more; }

/// The tensor of a constant too large to be hashed, or not computed yet; null for any other node.
const Tensor* large_constant(const TypedNode& node) {
  const Const* constant = node.op.as<Const>();
  if (!constant || !constant->value.is_tensor()) return nullptr;
  const Tensor& tensor = constant->value.tensor();
  if (is_deferred(tensor)) return &tensor;
  return tensor.byte_size() > kHashedBytes && tensor.dtype() != DatumType::string &&
                 tensor.dtype() != DatumType::dim
             ? &tensor
             : nullptr;
}

std::size_t key_of_samples(const Tensor& tensor) {
  if (is_deferred(tensor)) return recipe_hash(tensor);
  if (tensor.byte_size() <= kHashedBytes) return tensor.hash();  // computed by another thread
  const StoredBytes stored = stored_bytes(tensor);
  const std::string_view bytes(reinterpret_cast<const char*>(stored.bytes.data()),
                               stored.bytes.size());
  std::size_t key = bytes.size();
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::size_t at = (bytes.size() - kSampleBytes) / (kSamples - 1) * i;
    key = mixed(key, std::hash<std::string_view>{}(bytes.substr(at, kSampleBytes)));
  }
  return key;
}

std::size_t key_of(const TypedNode& node) {
  if (const Tensor* tensor = large_constant(node)) return key_of_samples(*tensor);
  std::size_t key = node.op.hash();
  for (const OutletId input : node.inputs)
    key = mixed(key, (std::size_t{input.node} << 3) + input.slot);
  return key;
}

}  // namespace

std::size_t merge_equal_nodes(TypedModel& model) {
  HashIndex seen;
  seen.reserve(model.live_nodes());
  std::size_t merged = 0;
  for (const std::uint32_t id : model.order()) {
    const TypedNode& node = model.node(id);
    if (!is_mergeable(node)) continue;
    const std::size_t key = key_of(node);
    const auto twin = seen.find(key, [&](std::uint32_t other) {
      return model.node(other).inputs == node.inputs && model.node(other).op == node.op;
    });
    if (!twin) {
      seen.insert(key, id);
      continue;
    }
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      model.redirect({id, slot}, {*twin, slot});
    model.erase(id);
    ++merged;
  }
  return merged;
}

}  // namespace strata
