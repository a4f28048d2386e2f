#pragma once

#include <memory>
#include <mutex>

namespace strata {

/// A value that an op computes from its attributes when it is first evaluated, and keeps. It is not
/// an attribute, so equality, dumps and files do not see it. A copy, whose attributes may change,
/// computes its own.
template <class T>
class Lazy {
 public:
  Lazy() = default;
  Lazy(const Lazy&) noexcept {}
  Lazy& operator=(const Lazy&) noexcept {
    made_.reset();
    return *this;
  }

  /// May be called from any thread. If `make` throws, the next call tries again.
  template <class Make>
  const T& get(const Make& make) const {
    const std::lock_guard lock(mutex_);
    if (!made_) made_ = std::make_shared<const T>(make());
    return *made_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const T> made_;
};

}  // namespace strata
