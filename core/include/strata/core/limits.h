#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace strata {

/// Bounds on the memory and time that a model may cost its host. Each is checked before the memory
/// or time is spent. Reaching one throws an Error that names it, of kind `limit`, or `cancelled`
/// for time.
struct Limits {
  std::int64_t tensor_bytes = std::int64_t{16} << 30;  ///< the largest single tensor
  std::int64_t total_bytes = std::int64_t{64} << 30;   ///< live tensors of a load or a session
  std::int64_t nodes = 5'000'000;                      ///< of a file, with all bodies and functions
  int nesting = 32;                                    ///< bodies within bodies
  std::int64_t unroll_trips = 64;                      ///< iterations of a loop that may unroll
  std::int64_t unroll_nodes = 4096;                    ///< nodes one unrolled loop may add
  std::int64_t unroll_bytes = 1 << 24;  ///< bytes of constants one unrolled loop may add
  std::int64_t fold_bytes = std::int64_t{1} << 29;  ///< the largest constant that folding may make
  std::int64_t iterations = std::int64_t{1} << 32;  ///< loop iterations in one run, over all loops
  /// For one run, checked between nodes and iterations; no bound when absent.
  std::optional<std::chrono::nanoseconds> time = std::nullopt;
};

/// A flag through which another thread asks a run to stop. Copies share the flag.
class CancelToken {
 public:
  void cancel() { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }
  /// Withdraws the request.
  void reset() { flag_->store(false, std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

/// Counts the bytes of the tensors made on this thread while it is alive, and refuses those beyond
/// the limits. Scopes nest: the inner one charges the outer one as well.
class MemoryScope {
 public:
  struct Account;

  explicit MemoryScope(const Limits& limits);
  /// The same for one of several successive scopes within one outer scope, which together count
  /// what is alive on one `account`. The first of them opens it.
  MemoryScope(const Limits& limits, std::shared_ptr<Account>& account);
  ~MemoryScope();
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;

  /// The account that live tensors hold on to; null outside any scope.
  static std::shared_ptr<Account> current();

 private:
  std::shared_ptr<Account> outer_;
};

}  // namespace strata
