#include "memory_layout.h"

#include <algorithm>
#include <map>

#include "alignment.h"

namespace strata {
namespace {

/// Free ranges of the arena: offset -> bytes, neighbours joined.
class FreeRanges {
 public:
  /// The smallest range that fits, or new memory at the end.
  std::size_t take(std::size_t bytes) {
    auto best = ranges_.end();
    for (auto it = ranges_.begin(); it != ranges_.end(); ++it)
      if (it->second >= bytes && (best == ranges_.end() || it->second < best->second)) best = it;
    if (best == ranges_.end()) return grow(bytes);
    const auto [offset, size] = *best;
    ranges_.erase(best);
    if (size > bytes) ranges_[offset + bytes] = size - bytes;
    return offset;
  }

  void give_back(std::size_t offset, std::size_t bytes) {
    auto it = ranges_.emplace(offset, bytes).first;
    if (const auto next = std::next(it);
        next != ranges_.end() && it->first + it->second == next->first) {
      it->second += next->second;
      ranges_.erase(next);
    }
    if (it != ranges_.begin())
      if (const auto before = std::prev(it); before->first + before->second == it->first) {
        before->second += it->second;
        ranges_.erase(it);
      }
  }

  std::size_t end() const { return end_; }

 private:
  /// Extends a free range at the end, or begins a new one there.
  std::size_t grow(std::size_t bytes) {
    std::size_t offset = end_;
    if (!ranges_.empty() && ranges_.rbegin()->first + ranges_.rbegin()->second == end_) {
      offset = ranges_.rbegin()->first;
      ranges_.erase(offset);
    }
    end_ = offset + bytes;
    return offset;
  }

  std::map<std::size_t, std::size_t> ranges_;
  std::size_t end_ = 0;
};

/// The block with memory of its own that a block lies in, in the end.
std::size_t root_of(const std::vector<Lifetime>& blocks, std::size_t block) {
  while (blocks[block].held) block = blocks[block].held->block;
  return block;
}

/// Lets holders live as long as what they hold, which then takes no memory.
void widen_holders(std::vector<Lifetime>& blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!blocks[i].held) continue;
    Lifetime& root = blocks[root_of(blocks, i)];
    root.first = std::min(root.first, blocks[i].first);
    root.last = std::max(root.last, blocks[i].last);
    blocks[i].bytes = 0;
  }
}

}  // namespace

void place_held(const std::vector<Lifetime>& blocks, std::vector<std::size_t>& offsets) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!blocks[i].held) continue;
    offsets[i] = offsets[root_of(blocks, i)];
    for (std::size_t at = i; blocks[at].held; at = blocks[at].held->block)
      offsets[i] += blocks[at].held->offset;
  }
}

MemoryLayout lay_out(std::vector<Lifetime> blocks) {
  widen_holders(blocks);
  MemoryLayout layout{std::vector<std::size_t>(blocks.size(), 0), 0};
  std::multimap<std::size_t, std::size_t> starts, ends;  // first and last step -> block
  for (std::size_t i = 0; i < blocks.size(); ++i) starts.emplace(blocks[i].first, i);
  FreeRanges free;
  for (const auto& [start, i] : starts) {
    while (!ends.empty() && ends.begin()->first < blocks[i].first) {
      const std::size_t over = ends.begin()->second;
      ends.erase(ends.begin());
      free.give_back(layout.offsets[over], aligned(blocks[over].bytes));
    }
    if (blocks[i].bytes == 0) continue;
    layout.offsets[i] = free.take(aligned(blocks[i].bytes));
    ends.emplace(blocks[i].last, i);
  }
  place_held(blocks, layout.offsets);
  layout.total = free.end();
  return layout;
}

}  // namespace strata
