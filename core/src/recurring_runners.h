#pragma once

#include <algorithm>
#include <memory>
#include <vector>

namespace strata {

class Runner;

/// Runners for recurring situations, each identified by a key, which is a sequence. A runner is
/// made only for a key that recurs several times in a row, and only for a few keys.
template <class Key>
class RecurringRunners {
 public:
  /// The runner for this run's key, or null. Calls `make()` once the key was also that of the runs
  /// just before; that may return null, too.
  template <class Sequence, class Make>
  Runner* find(const Sequence& key, const Make& make) {
    for (const Entry& entry : entries_)
      if (std::ranges::equal(entry.key, key)) return entry.runner.get();
    if (entries_.size() == kMostKeys) return nullptr;
    if (!std::ranges::equal(last_, key)) {
      last_.assign(key.begin(), key.end());
      runs_ = 0;
    }
    if (runs_++ < kRunsBefore) return nullptr;
    entries_.push_back({last_, make()});
    return entries_.back().runner.get();
  }
  /// Takes this key for a recurring one: the next `find` makes its runner.
  template <class Sequence>
  void expect(const Sequence& key) {
    last_.assign(key.begin(), key.end());
    runs_ = kRunsBefore;
  }
  template <class Visit>
  void for_each(const Visit& visit) {
    for (const Entry& entry : entries_)
      if (entry.runner) visit(*entry.runner);
  }

 private:
  static constexpr int kRunsBefore = 2;        ///< before a runner is worth the time
  static constexpr std::size_t kMostKeys = 4;  ///< each takes memory for kernels' constants
  struct Entry {
    Key key;
    std::unique_ptr<Runner> runner;
  };

  std::vector<Entry> entries_;
  Key last_;      ///< of the last run that found no entry
  int runs_ = 0;  ///< in a row with this key
};

}  // namespace strata
