#include "strata/core/workers.h"

#if defined(__unix__)
#include <pthread.h>
#endif

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cores.h"
#include "strata/core/error.h"

namespace strata {
namespace {

constexpr std::size_t kMostShares = 32;
constexpr int kSharesBit = 32, kNumberBit = 38;  ///< of Team::open_
constexpr std::align_val_t kAlignment{64};
/// Spins of an idle thread before it sleeps, about 0.1 ms: longer than the steps of a run that are
/// not shared mostly take, as waking a thread costs its caller more than a short step, and so short
/// that a session which nobody runs keeps no core busy.
constexpr int kSpins = 1 << 12;
/// Spins of an idle thread before it first yields its core, about 0.02 ms, and then between two
/// yields. Another thread that needs the core may be the caller. It keeps the core for
/// milliseconds, so a thread does not yield between the steps of a run.
constexpr int kEagerSpins = 1024, kSpinsOfTurn = 16;

using Clock = SharingGain::Clock;
/// The most of the gain from all even tasks that counts, and so may be lost again.
constexpr std::chrono::milliseconds kCredit{4};
/// If threads that are awake take part in nothing for so long, they have no core to run on.
constexpr std::chrono::microseconds kMissing{300};
/// Cost of a turn beyond its own time: the next steps read what another core has written.
constexpr std::chrono::nanoseconds kUnseen{500};
/// The longest time alone, as a multiple of what was lost.
constexpr int kLongestAlone = 32;

/// Whether this thread is in a task, which does not share out work again.
thread_local bool is_in_task = false;

/// How often this process was forked from another: a fork has none of the threads, only what they
/// left in memory.
std::atomic<int> forks = 0;

void count_forks() {
#if defined(__unix__)
  [[maybe_unused]] static const int once = pthread_atfork(nullptr, nullptr, [] { ++forks; });
#endif
}

/// Waits a moment, for the `spins`-th time in a row.
void pause(int spins) {
#if defined(__x86_64__)
  if (spins < kEagerSpins || spins % kSpinsOfTurn != 0) return __builtin_ia32_pause();
#endif
  std::this_thread::yield();
}

}  // namespace

void SharingGain::add(Clock::duration gain, Clock::time_point now) {
  gained_ = std::min(gained_ + gain, most_);
  if (gained_ == most_) times_alone_ = 1;
  if (gained_ >= Clock::duration::zero()) return;
  const Clock::duration lost = -std::exchange(gained_, Clock::duration::zero());
  alone_until_ = now + times_alone_ * lost;
  times_alone_ = std::min(2 * times_alone_, kLongestAlone);
}

/// One call of `run`: the tasks in shares, and the exception of the first task that threw.
struct Workers::Turn {
  Call call;
  std::size_t tasks;
  std::size_t shares;
  std::mutex mutex = {};
  std::size_t failed = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error = nullptr;

  void run_alone() noexcept {
    for (std::size_t share = 0; share < shares; ++share) run_share(share);
  }
  void run_share(std::size_t share) noexcept {
    const bool was_in_task = std::exchange(is_in_task, true);
    const std::size_t end = (share + 1) * tasks / shares;
    for (std::size_t i = share * tasks / shares; i < end; ++i) {
      try {
        call.function(call.task, i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) {
          failed = i;
          error = std::current_exception();
        }
      }
    }
    is_in_task = was_in_task;
  }
};

/// The threads, and the shares of the turn they work on.
///
/// `open_` holds the number of the turn, how many shares it has, and one bit for each share that
/// nobody has taken. To take a share is to clear its bit. A turn is over when all its shares are
/// done, so a thread that has taken one may use the turn. A thread prefers shares of its own, which
/// lie side by side: in every turn they are the same part of its tasks, whose data may still be in
/// the thread's cache. The caller takes the first share that is left, so that no task waits for one
/// that nobody takes.
///
/// Turns of even tasks show what sharing has gained compared with the caller alone, or lost because
/// a thread lost its core in the middle of a share. Once more is lost than was lately gained, or no
/// other thread takes part in turns, nothing is shared for a while, which is short unless this
/// keeps happening.
class Workers::Team {
 public:
  explicit Team(std::size_t threads) : count_(threads) {}
  ~Team() { stop_threads(); }

  /// Returns whether the turn was run, which it is not while the threads work for another caller.
  bool run(Turn& turn, SharingGain* gain) {
    const std::unique_lock one_caller(callers_, std::try_to_lock);
    if (!one_caller) return false;
    if (threads_.empty()) start_threads();
    const Clock::time_point start = Clock::now();
    const bool has_woken = open(turn);
    const Clock::time_point begin = has_woken ? Clock::now() : start;
    if (has_woken) joined_ = begin;
    std::size_t own = 0;
    for (; const auto share = take(0); ++own) finish(*share);
    if (own == turn.shares) {
      if (begin - joined_ > kMissing) add_gain(-kMissing, begin);
      return true;
    }
    joined_ = begin;
    const Clock::time_point end = Clock::now();
    for (int spins = 0; !is_done(); spins += spins < kSpins) pause(spins);
    const Clock::time_point done = Clock::now();
    if (gain && own > 0) {
      const Clock::duration gained = (end - begin) * turn.shares / own - (done - start) - kUnseen;
      gain->add(gained, done);
      add_gain(gained, done);
    }
    return true;
  }
  /// Whether its threads, if it has started any, are in this process.
  bool is_here() const {
    const int started = started_.load(std::memory_order_relaxed);
    return started == kNotStarted || started == forks.load(std::memory_order_relaxed);
  }
  bool is_alone(const SharingGain* gain) const {
    const Clock::time_point now = Clock::now();
    return now < alone_until_.load(std::memory_order_relaxed) ||
           (gain && now < gain->alone_until());
  }

 private:
  void add_gain(Clock::duration gain, Clock::time_point now) {
    gain_.add(gain, now);
    alone_until_.store(gain_.alone_until(), std::memory_order_relaxed);
  }
  /// Returns whether threads had to be woken for it.
  bool open(Turn& turn) {
    turn_ = &turn;
    core_.store(current_core(), std::memory_order_relaxed);
    undone_.store(turn.shares, std::memory_order_relaxed);
    const std::uint64_t number = (open_.load(std::memory_order_relaxed) >> kNumberBit) + 1;
    const std::uint64_t shares = turn.shares;
    open_.store(number << kNumberBit | shares << kSharesBit | ((std::uint64_t{1} << shares) - 1));
    if (asleep_.load() == 0) return false;
    wake(turn.shares - 1);
    return true;
  }
  bool is_done() const { return undone_.load(std::memory_order_acquire) == 0; }
  /// Takes the first free share, searching from this thread's own. From then on the turn may be
  /// read.
  std::optional<std::size_t> take(std::size_t thread) {
    std::uint64_t now = open_.load(std::memory_order_relaxed);
    while (const auto left = static_cast<std::uint32_t>(now)) {
      const std::size_t shares = (now >> kSharesBit) % (1U << (kNumberBit - kSharesBit));
      const std::size_t own = thread * shares / count_;
      const std::uint32_t later = left >> own << own;
      const std::uint32_t best = later != 0 ? later : left;
      const std::uint64_t bit = best & -best;
      if (open_.compare_exchange_weak(now, now & ~bit, std::memory_order_acquire,
                                      std::memory_order_relaxed))
        return std::countr_zero(bit);
    }
    return std::nullopt;
  }
  void finish(std::size_t share) {
    turn_->run_share(share);
    undone_.fetch_sub(1, std::memory_order_release);
  }
  bool is_open() const { return static_cast<std::uint32_t>(open_.load()) != 0; }

  /// Starts the threads, only once there is work for them: in a process of one thread, reference
  /// counting and allocation are faster.
  void start_threads() {
    count_forks();
    started_.store(forks.load());
    threads_.reserve(count_ - 1);
    for (std::size_t thread = 1; thread < count_; ++thread) {
      try {
        threads_.emplace_back([this, thread] { serve(thread); });
      } catch (const std::system_error&) {
        stop_threads();
        fail(ErrorKind::limit, "the system gives no ", count_, " threads");
      }
    }
    joined_ = Clock::now();
  }
  /// Ends the threads; they may be started again.
  void stop_threads() {
    has_ended_.store(true);
    wake(threads_.size());
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    started_.store(kNotStarted);
    has_ended_.store(false);
  }
  /// What each thread but the caller's does, which is the first.
  void serve(std::size_t thread) {
    while (!has_ended_.load(std::memory_order_relaxed)) {
      for (int spins = 0; spins < kSpins; ++spins) {
        if (const auto share = take(thread)) {
          leave_core(core_.load(std::memory_order_relaxed));
          finish(*share);
          spins = 0;
        } else {
          pause(spins);
        }
      }
      sleep();
      leave_core(core_.load(std::memory_order_relaxed));
    }
  }
  /// Returns when woken; at once when there is something to do. Those woken no longer count as
  /// asleep, even if it takes them long to notice.
  void sleep() {
    std::unique_lock lock(sleep_);
    asleep_.fetch_add(1);
    if (is_open() || has_ended_.load()) {
      asleep_.fetch_sub(1);
      return;
    }
    woken_.wait(lock, [this] { return wakings_ > 0; });
    --wakings_;
  }
  /// Wakes as many threads as are asleep, up to `most`.
  void wake(std::size_t most) {
    const std::lock_guard lock(sleep_);
    for (std::size_t n = std::min(most, asleep_.load()); n > 0; --n) {
      asleep_.fetch_sub(1);
      ++wakings_;
      woken_.notify_one();
    }
  }

  alignas(64) std::atomic<std::uint64_t> open_ = 0;
  alignas(64) std::atomic<std::size_t> undone_ = 0;
  alignas(64) Turn* turn_ = nullptr;
  std::atomic<int> core_ = -1;  ///< of the caller; a thread that shares it helps nobody
  std::mutex callers_;
  std::mutex sleep_;
  std::condition_variable woken_;
  std::atomic<std::size_t> asleep_ = 0;  ///< changed under sleep_
  std::size_t wakings_ = 0;              ///< wake-ups not yet noticed by a thread; under sleep_
  std::atomic<bool> has_ended_ = false;
  Clock::time_point joined_;   ///< when another thread last took part or was woken; under callers_
  SharingGain gain_{kCredit};  ///< of all even tasks; under callers_
  std::atomic<Clock::time_point> alone_until_ = Clock::time_point{};  ///< of gain_
  static constexpr int kNotStarted = -1;
  std::atomic<int> started_ = kNotStarted;  ///< after so many forks
  const std::size_t count_;                 ///< of threads, with the caller's
  std::vector<std::thread> threads_;
};

Workers::Workers(std::size_t threads) : count_(threads) {
  constexpr std::size_t kMost = 1024;
  require(threads > 0 && threads <= kMost, ErrorKind::invalid_argument, "a session runs on 1 to ",
          kMost, " threads, ", threads, " given");
  // In a process forked since, nobody will ever end its threads, or hold its locks any more.
  const auto end = [](Team* team) {
    if (team->is_here()) delete team;
  };
  if (threads > 1) team_ = std::shared_ptr<Team>(new Team(threads), end);
}

Workers::Workers(const Workers& other) : count_(other.count_), team_(other.team_) {}
Workers::~Workers() = default;

std::size_t Workers::usable(const SharingGain* gain) const {
  return is_in_task || !team_ || !team_->is_here() || team_->is_alone(gain) ? 1 : count_;
}

void Workers::run_tasks(std::size_t n, SharingGain* gain, Call call) {
  const bool may_share = team_ && n > 1 && !is_in_task && team_->is_here();
  Turn turn{call, n, may_share ? std::min(n, kMostShares) : 1};
  if (!may_share || !team_->run(turn, gain)) turn.run_alone();
  if (turn.error) std::rethrow_exception(turn.error);
}

void Workers::Free::operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }

std::byte* Workers::scratch(std::size_t bytes) {
  if (bytes > scratch_bytes_) {
    scratch_.reset();
    scratch_bytes_ = 0;
    scratch_.reset(static_cast<std::byte*>(::operator new(bytes, kAlignment)));
    scratch_bytes_ = bytes;
  }
  return scratch_.get();
}

}  // namespace strata
