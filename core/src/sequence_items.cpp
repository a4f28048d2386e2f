#include <algorithm>
#include <atomic>

#include "strata/core/error.h"
#include "strata/core/value.h"

namespace strata {

/// Room for items, of which lists that share it own the first ones each. A place is written once,
/// by the list that takes it, and read by no list that ends before it.
struct SequenceItems::Storage {
  explicit Storage(std::size_t room) : items(room) {}
  std::vector<Value> items;
  std::atomic<std::size_t> taken = 0;
};

SequenceItems::SequenceItems(std::vector<Value> items) : size_(items.size()) {
  if (items.empty()) return;
  storage_ = std::make_shared<Storage>(0);
  storage_->items = std::move(items);
  storage_->taken = size_;
}

SequenceItems::SequenceItems(std::initializer_list<Value> items)
    : SequenceItems(std::vector<Value>(items)) {}

std::span<const Value> SequenceItems::span() const {
  return storage_ ? std::span<const Value>(storage_->items).first(size_) : std::span<const Value>();
}

void SequenceItems::push_back(Value item) {
  std::size_t end = size_;
  const bool has_room = storage_ && size_ < storage_->items.size() &&
                        storage_->taken.compare_exchange_strong(end, size_ + 1);
  if (!has_room) {
    const auto roomy = std::make_shared<Storage>(std::max<std::size_t>(4, 2 * size_));
    std::ranges::copy(span(), roomy->items.begin());
    roomy->taken = size_ + 1;
    storage_ = roomy;
  }
  storage_->items[size_++] = std::move(item);
}

void SequenceItems::insert(std::size_t place, Value item) {
  require(place <= size_, ErrorKind::invalid_argument, "place ", place, " of a sequence of ",
          size_);
  if (place == size_) return push_back(std::move(item));
  std::vector<Value> items(begin(), end());
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(place), std::move(item));
  *this = SequenceItems(std::move(items));
}

void SequenceItems::erase(std::size_t place) {
  require(place < size_, ErrorKind::invalid_argument, "item ", place, " of a sequence of ", size_);
  std::vector<Value> items(begin(), end());
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(place));
  *this = SequenceItems(std::move(items));
}

bool SequenceItems::operator==(const SequenceItems& other) const {
  return std::ranges::equal(span(), other.span());
}

}  // namespace strata
