#include "deferred_tensor.h"
#include "passes/passes.h"
#include "strata/core/hash_index.h"

namespace strata {
namespace {

/// Larger constants are compared by their size, then by a sample from their middle, and read in
/// full only if these are equal: each page may have to be read from a file.
constexpr std::size_t kHashedBytes = 1 << 10, kSampleBytes = 64;

bool is_mergeable(const TypedNode& node) {
  return !node.erased && !node.op.as<Source>() && !node.op.is_stateful();
}

/// The tensor of a constant too large to be hashed, or not computed yet; null for any other node.
const Tensor* large_constant(const TypedNode& node) {
  const Const* constant = node.op.as<Const>();
  if (!constant || !constant->value->is_tensor()) return nullptr;
  const Tensor& tensor = constant->value->tensor();
  if (is_deferred(tensor)) return &tensor;
  return tensor.byte_size() > kHashedBytes && tensor.dtype() != DatumType::string &&
                 tensor.dtype() != DatumType::dim
             ? &tensor
             : nullptr;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether the key of a large constant is that of a sample, not that of how it is computed.
bool is_sampled(const Tensor& tensor) { return !is_deferred(tensor); }

std::size_t key_of_sample(const Tensor& tensor) {
  if (is_deferred(tensor)) return recipe_hash(tensor);
  if (tensor.byte_size() <= kHashedBytes) return tensor.hash();  // computed by another thread
  const StoredBytes stored = stored_bytes(tensor);
  const std::string_view bytes = text_of(stored.bytes);
  const std::size_t at = (bytes.size() - kSampleBytes) / 2;
  return mixed_hash(bytes.size(), name_hash(bytes.substr(at, kSampleBytes)));
}

/// Whether equal constants have equal bytes.
bool is_plain(const Const& constant) {
  if (!constant.value->is_tensor()) return false;
  const DatumType dtype = constant.value->tensor().dtype();
  return dtype != DatumType::string && dtype != DatumType::dim && !is_packed(dtype);
}

/// A hash by which equal nodes are found: of the bytes of a small constant, otherwise of the op's
/// name and the inputs, since few nodes of one op have the same inputs.
std::size_t key_of(const TypedNode& node) {
  const Const* constant = node.op.as<Const>();
  if (constant && is_plain(*constant))
    return name_hash(text_of(stored_bytes(constant->value->tensor()).bytes));
  if (node.inputs.empty()) return node.op.hash();
  std::size_t key = std::hash<const char*>{}(node.op.name().data());
  for (const OutletId input : node.inputs)
    key = mixed_hash(key, (std::size_t{input.node} << 3) + input.slot);
  return key;
}

/// The sizes that a node computes, if they are known as expressions over symbols; null for any
/// other node.
const Tensor* sizes_of(const TypedNode& node) {
  if (node.outputs.size() != 1 || node.op.as<Const>()) return nullptr;
  const Fact& fact = node.outputs[0].fact;
  if (!fact.value || !fact.value->is_tensor()) return nullptr;
  const Tensor& value = fact.value->tensor();
  return value.dtype() == DatumType::dim ? &value : nullptr;
}

/// Makes the readers of `from` read its equal `to`. If their facts are equal, what was inferred
/// from one holds for the other, even if these facts are different objects.
void merge_wires(TypedModel& model, OutletId from, OutletId to) {
  const bool is_constant = model.node(from.node).op.as<Const>() != nullptr;
  InletIds settled;
  if (is_constant || model.fact(from) == model.fact(to))
    for (const InletId reader : model.successors(from))
      if (!model.node(reader.node).is_stale) settled.push_back(reader);
  model.redirect(from, to);
  for (const InletId reader : settled) model.settle(reader.node);
}

/// The nodes gone through, by what tells them apart.
class SeenNodes {
 public:
  explicit SeenNodes(const TypedModel& model) : model_(model) {
    by_key_.reserve(model.live_nodes());
  }

  /// The node seen before that computes the same as node `id`; if there is none, `id` is added.
  /// Equal are nodes with equal inputs, and nodes that compute the same sizes, even from other
  /// inputs, as the layers of a net do.
  std::optional<std::uint32_t> twin_or_add(std::uint32_t id) {
    const TypedNode& node = model_.node(id);
    if (const Tensor* sizes = sizes_of(node)) {
      const std::size_t key = sizes->hash();
      const Fact& fact = node.outputs[0].fact;
      const auto twin = by_sizes_.find(key, [&](std::uint32_t other) {
        return is_there(other) && model_.node(other).outputs[0].fact == fact;
      });
      if (!twin) by_sizes_.insert(key, id);
      return twin;
    }
    const Tensor* large = large_constant(node);
    if (!large) return twin_or_add(id, key_of(node));
    const auto first = first_of_size(large->byte_size());
    if (!first) {
      by_size_.insert(key_of_size(large->byte_size()), id);
      return std::nullopt;
    }
    twin_or_add(*first, key_of_sample(constant(*first)));
    return twin_or_add(id, key_of_sample(*large));
  }

 private:
  std::optional<std::uint32_t> twin_or_add(std::uint32_t id, std::size_t key) {
    const TypedNode& node = model_.node(id);
    const Tensor* large = large_constant(node);
    bool is_by_attributes = node.inputs.empty() && !(large && is_sampled(*large));
    const auto is_like = [&](std::uint32_t other) {
      return is_there(other) && model_.node(other).inputs == node.inputs &&
             model_.node(other).op.name() == node.op.name() &&
             (!is_by_attributes || model_.node(other).op == node.op);
    };
    auto twin = by_key_.find(key, is_like);
    if (twin && model_.node(*twin).op != node.op) {  // a second hash includes the attributes
      is_by_attributes = true;
      key = mixed_hash(key, node.op.hash());
      twin = by_key_.find(key, is_like);
    }
    if (!twin) by_key_.insert(key, id);
    return twin;
  }

  static std::size_t key_of_size(std::size_t bytes) { return mixed_hash(0, bytes); }
  /// The first large constant of so many bytes.
  std::optional<std::uint32_t> first_of_size(std::size_t bytes) const {
    return by_size_.find(key_of_size(bytes), [&](std::uint32_t other) {
      return is_there(other) && constant(other).byte_size() == bytes;
    });
  }
  /// Nodes that only merged nodes read were erased with them.
  bool is_there(std::uint32_t id) const { return !model_.node(id).erased; }
  const Tensor& constant(std::uint32_t id) const {
    return model_.node(id).op.as<Const>()->value->tensor();
  }

  const TypedModel& model_;
  HashIndex by_key_;
  HashIndex by_size_;   ///< large constants, the first of each size
  HashIndex by_sizes_;  ///< nodes whose output are sizes
};

}  // namespace

MergedNodes merge_equal_nodes(TypedModel& model) {
  SeenNodes seen(model);
  std::vector<bool> is_kept(model.nodes().size(), false);
  MergedNodes merged;
  for (const std::uint32_t id : model.order()) {
    const TypedNode& node = model.node(id);
    if (!is_mergeable(node)) continue;
    const auto twin = seen.twin_or_add(id);
    if (!twin) continue;
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      merge_wires(model, {id, slot}, {*twin, slot});
    model.erase_unread(id);
    ++merged.gone;
    if (!is_kept[*twin]) merged.kept.push_back(*twin);
    is_kept[*twin] = true;
  }
  return merged;
}

}  // namespace strata
