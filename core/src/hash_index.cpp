#include "strata/core/hash_index.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace strata {
namespace {

constexpr std::size_t kLeastSlots = 16;

/// Slots for `count` numbers, half of which stay free.
std::size_t slots_for(std::size_t count) { return std::bit_ceil(std::max(kLeastSlots, 2 * count)); }

/// The eight bytes at `place`.
std::uint64_t word_at(const char* place) {
  std::uint64_t word;
  std::memcpy(&word, place, sizeof(word));
  return word;
}

/// The bytes of a text shorter than a word.
std::uint64_t short_word(std::string_view text) {
  std::uint64_t word = 0;
  for (const char c : text) word = word << 8 | static_cast<unsigned char>(c);
  return word;
}

constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15ULL;

/// Random in each process, so that nobody can choose names with colliding hashes.
struct Key {
  std::uint64_t start = kSpread;
  std::uint64_t factor = kSpread;
};

Key drawn_key() {
  Key key;
  if (::getentropy(&key, sizeof(key)) != 0) return {};
  key.factor |= 1;  // no bit of a product is lost
  return key;
}

const Key& key_of_process() {
  static const Key key = drawn_key();
  return key;
}

/// Mixes both over all bits: the two halves of their product.
std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(a) * b;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

}  // namespace

std::size_t mixed_hash(std::size_t seed, std::size_t value) {
  const Key& key = key_of_process();
  return folded_product(seed ^ key.start, value ^ key.factor);
}

std::size_t name_hash(std::string_view name) {
  const Key& key = key_of_process();
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::uint64_t hash = key.start ^ name.size() * kSpread;  // the length counts, too
  const auto mixed = [&](std::uint64_t word) { return folded_product(hash ^ word, key.factor); };
  if (name.size() < kWord) return mixed(short_word(name));
  const char* const last = name.data() + name.size() - kWord;  // overlaps the one before
  for (const char* at = name.data(); at < last; at += kWord) hash = mixed(word_at(at));
  return mixed(word_at(last));
}

void HashIndex::insert(std::size_t hash, std::uint32_t number) {
  if (4 * (taken_ + 1) > 3 * slots_.size()) rebuild(slots_for(live_ + 1));
  place({fingerprint(hash), number});
  ++live_;
}

void HashIndex::erase(std::size_t hash, std::uint32_t number) {
  const Slot* found = find_slot(fingerprint(hash), [&](std::uint32_t n) { return n == number; });
  if (!found) return;
  slots_[static_cast<std::size_t>(found - slots_.data())].fingerprint = kErased;
  --live_;
}

void HashIndex::renumber(const std::vector<std::uint32_t>& moved) {
  for (Slot& slot : slots_)
    if (slot.fingerprint > kErased) slot.number = moved[slot.number];
}

void HashIndex::reserve(std::size_t count) {
  if (slots_for(count) > slots_.size()) rebuild(slots_for(count));
}

void HashIndex::rebuild(std::size_t slots) {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots));
  taken_ = 0;
  for (const Slot& slot : old)
    if (slot.fingerprint > kErased) place(slot);
}

void HashIndex::place(Slot slot) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = slot.fingerprint & mask;
  while (slots_[at].fingerprint > kErased) at = (at + 1) & mask;
  taken_ += slots_[at].fingerprint == kFree;
  slots_[at] = slot;
}

}  // namespace strata
