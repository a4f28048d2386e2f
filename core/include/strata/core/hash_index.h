#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace strata {

/// A hash of a name or of other bytes, fast since names are looked up all the time while a model is
/// loaded and rewritten. It differs from process to process, so that nobody can make a model of
/// names with colliding hashes.
std::size_t name_hash(std::string_view name);
/// Adds one more part to a hash: `seed` is the hash of the parts so far, `value` that of the new
/// one. It differs from process to process as well.
std::size_t mixed_hash(std::size_t seed, std::size_t value);

/// Hashes names, whether they are strings or views.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return name_hash(name); }
};

/// Finds numbers by the hash of what they stand for, which is stored elsewhere: for example the ids
/// of nodes by their names. Several numbers may share a hash.
class HashIndex {
 public:
  /// The first number under `hash` that `is_it(number)` holds for.
  template <class IsIt>
  std::optional<std::uint32_t> find(std::size_t hash, IsIt&& is_it) const {
    const Slot* slot = find_slot(fingerprint(hash), is_it);
    return slot ? std::optional(slot->number) : std::nullopt;
  }
  void insert(std::size_t hash, std::uint32_t number);
  /// Takes out `number`, which was inserted under `hash`.
  void erase(std::size_t hash, std::uint32_t number);
  /// Gives each number `n` the place of `moved[n]`.
  void renumber(const std::vector<std::uint32_t>& moved);
  void reserve(std::size_t count);

 private:
  static constexpr std::uint32_t kFree = 0, kErased = 1;
  struct Slot {
    std::uint32_t fingerprint = kFree;
    std::uint32_t number = 0;
  };

  static std::uint32_t fingerprint(std::size_t hash) {
    const auto mixed = static_cast<std::uint32_t>((hash * 0x9e3779b97f4a7c15ULL) >> 32);
    return mixed > kErased ? mixed : mixed + 2;
  }
  template <class IsIt>
  const Slot* find_slot(std::uint32_t wanted, IsIt&& is_it) const {
    if (slots_.empty()) return nullptr;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = wanted & mask;; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.fingerprint == kFree) return nullptr;
      if (slot.fingerprint == wanted && is_it(slot.number)) return &slot;
    }
  }
  void rebuild(std::size_t slots);
  void place(Slot slot);

  std::vector<Slot> slots_;  ///< a power of two of them, some always free
  std::size_t taken_ = 0;    ///< slots that are not free, erased ones included
  std::size_t live_ = 0;
};

}  // namespace strata
