#include "ops/key_places.h"

#include <span>

#include "ops/ordering.h"

namespace strata {
namespace {

std::size_t hash_of(const std::string& text) { return name_hash(text); }
std::size_t hash_of(std::uint64_t number) {
  return name_hash({reinterpret_cast<const char*>(&number), sizeof(number)});
}

}  // namespace

template <class Key>
std::int64_t KeyPlaces::place_of(const Key& key, std::span<const Key> keys) const {
  const auto found =
      index_.find(hash_of(key), [&](std::uint32_t place) { return keys[place] == key; });
  return found ? std::int64_t{*found} : -1;
}

template <class Key>
void KeyPlaces::insert(std::span<const Key> keys) {
  index_.reserve(keys.size());
  for (std::uint32_t place = 0; place < keys.size(); ++place)
    if (place_of(keys[place], keys) < 0) index_.insert(hash_of(keys[place]), place);
}

KeyPlaces::KeyPlaces(const Tensor& keys) {
  if (keys.dtype() == DatumType::string)
    insert((texts_ = keys).as<std::string>());
  else
    insert(std::span<const std::uint64_t>(numbers_ = order_keys(keys)));
}

std::vector<std::int64_t> KeyPlaces::of(const Tensor& data) const {
  std::vector<std::int64_t> places;
  places.reserve(static_cast<std::size_t>(data.size()));
  if (data.dtype() == DatumType::string)
    for (const std::string& key : data.as<std::string>())
      places.push_back(place_of(key, texts_.as<std::string>()));
  else
    for (const std::uint64_t key : order_keys(data))
      places.push_back(place_of(key, std::span<const std::uint64_t>(numbers_)));
  return places;
}

}  // namespace strata
