#include "strata/core/workers.h"

#include <doctest/doctest.h>

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "strata/core/error.h"

using namespace strata;

TEST_SUITE("workers") {
  TEST_CASE("each task runs once, however many there are") {
    for (const std::size_t threads : {1, 2, 3}) {
      Workers workers(threads);
      for (const std::size_t n : {0, 1, 2, 3, 31, 32, 33, 1000}) {
        std::vector<int> runs(n + 1, 0);
        workers.run(n, [&](std::size_t i) { ++runs[i]; });
        CHECK(runs.back() == 0);
        CHECK(std::accumulate(runs.begin(), runs.end(), std::size_t{0}) == n);
        for (std::size_t i = 0; i < n; ++i) CHECK(runs[i] == 1);
      }
    }
  }

#if defined(__linux__)
  TEST_CASE("threads start when work is first shared") {
    const auto threads = [] {
      return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    };
    const auto before = threads();
    {
      Workers workers(3);
      workers.run(1, [](std::size_t) {});
      CHECK(threads() == before);
      workers.run(3, [](std::size_t) {});
      CHECK(threads() == before + 2);
    }
    CHECK(threads() == before);
  }

  TEST_CASE("a process forked from one with threads works alone, and ends") {
    auto workers = std::make_unique<Workers>(3);
    const auto runs_all = [&] {
      std::vector<std::thread::id> threads(8);
      workers->run(8, [&](std::size_t i) { threads[i] = std::this_thread::get_id(); });
      return threads;
    };
    (void)runs_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until they are asleep
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // if it waits for threads that it does not have
      const bool is_alone =
          workers->usable() == 1 && runs_all() == std::vector(8, std::this_thread::get_id());
      workers.reset();
      _exit(is_alone ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(workers->count() == 3);
    (void)runs_all();
  }
#endif

  TEST_CASE("turns see what those before have written, after pauses too") {
    Workers workers(3);
    std::vector<long> parts(3, 0);
    long sum = 0;
    for (int turn = 0; turn < 20000; ++turn) {
      workers.run(3, [&](std::size_t i) { parts[i] = sum + static_cast<long>(i); });
      sum = parts[0] + parts[1] + parts[2] - 2 * sum;
      if (turn % 4000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    CHECK(sum == 3 * 20000);
  }

  TEST_CASE("a task may wait for those before it") {
    Workers workers(3);
    for (int turn = 0; turn < 200; ++turn) {
      std::atomic<std::size_t> done = 0;
      workers.run(9, [&](std::size_t i) {
        while (done.load() < i) std::this_thread::yield();
        done.store(i + 1);
      });
      CHECK(done == 9);
    }
  }

  TEST_CASE("of two threads one begins with the second half, however many shares there are") {
    Workers workers(2);
    for (const std::size_t n : {2, 3, 8, 31, 32, 64}) {
      std::atomic<int> begun = 0;
      std::atomic<std::size_t> first_of_other = n;
      workers.run(n, [&, caller = std::this_thread::get_id()](std::size_t i) {
        if (begun.fetch_add(1) >= 2) return;
        if (std::this_thread::get_id() != caller) first_of_other = i;
        while (begun.load() < 2) std::this_thread::yield();
      });
      CHECK(first_of_other == n / 2);
    }
  }

  TEST_CASE("two callers take turns") {
    Workers workers(2);
    std::atomic<int> runs = 0;
    const auto many = [&] {
      for (int turn = 0; turn < 500; ++turn) workers.run(4, [&](std::size_t) { ++runs; });
    };
    std::thread other(many);
    many();
    other.join();
    CHECK(runs == 2 * 500 * 4);
  }

  TEST_CASE("a task has no threads to share with") {
    Workers workers(2);
    workers.run(2, [&](std::size_t) { CHECK(workers.usable() == 1); });
    CHECK(Workers(1).usable() == 1);
  }

  TEST_CASE("what loses is left alone for as long as was lost, and longer each time") {
    using namespace std::chrono_literals;
    SharingGain gain(50us);
    SharingGain::Clock::time_point now{1s};
    gain.add(-50us, now);
    CHECK(gain.alone_until() < now);  // no more than what it may lose
    gain.add(-10us, now);
    CHECK(gain.alone_until() == now + 10us);
    now += 1ms;
    gain.add(-10us, now);
    CHECK(gain.alone_until() == now + 20us);
    for (int times = 0; times < 20; ++times) gain.add(-1us, now += 1ms);
    CHECK(gain.alone_until() == now + 32us);
    now += 1ms;
    gain.add(1s, now);  // it pays again
    CHECK(gain.alone_until() < now);
    gain.add(-60us, now);
    CHECK(gain.alone_until() == now + 10us);
  }

  TEST_CASE("tasks that another thread takes long for are soon left to the caller") {
    Workers workers(2);
    SharingGain gain(std::chrono::microseconds(50));
    int turns = 0;
    for (; turns < 1000 && workers.usable(&gain) == 2; ++turns) {
      std::atomic<bool> has_other = false;
      workers.run(
          2,
          [&, caller = std::this_thread::get_id()](std::size_t i) {
            if (std::this_thread::get_id() != caller) {
              has_other = true;
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            } else if (i == 0) {
              while (!has_other) std::this_thread::yield();
            }
          },
          &gain);
    }
    CHECK(turns < 1000);
    CHECK(turns > 0);
  }

  TEST_CASE("scratch memory is kept while it is large enough") {
    Workers workers(2);
    std::byte* memory = workers.scratch(100);
    memory[99] = std::byte{5};
    CHECK(workers.scratch(50) == memory);
    CHECK(memory[99] == std::byte{5});
    CHECK(reinterpret_cast<std::uintptr_t>(workers.scratch(1000)) % 64 == 0);
  }

  TEST_CASE("callers that share the threads have all of their tasks run, on memory of their own") {
    Workers workers(3);
    std::vector<long> sums(3, 0);
    std::vector<std::thread> callers;
    for (long& sum : sums)
      callers.emplace_back([&sum, own = workers]() mutable {
        auto* const parts = reinterpret_cast<long*>(own.scratch(8 * sizeof(long)));
        for (int turn = 0; turn < 2000; ++turn) {
          own.run(8, [&](std::size_t i) { parts[i] = turn + static_cast<long>(i); });
          sum += std::accumulate(parts, parts + 8, 0L);
        }
      });
    for (std::thread& caller : callers) caller.join();
    CHECK(sums == std::vector<long>(3, 8 * (2000 * 1999 / 2) + 2000 * 28));
  }

  TEST_CASE("a caller works alone while the threads it shares work for another") {
    Workers workers(2);
    std::atomic<bool> has_begun = false, may_end = false;
    std::thread other([&, own = workers]() mutable {
      own.run(2, [&](std::size_t) {
        has_begun = true;
        while (!may_end) std::this_thread::yield();
      });
    });
    while (!has_begun) std::this_thread::yield();
    std::vector<std::thread::id> threads(8);
    workers.run(8, [&](std::size_t i) { threads[i] = std::this_thread::get_id(); });
    may_end = true;
    other.join();
    CHECK(threads == std::vector(8, std::this_thread::get_id()));
  }

  TEST_CASE("the first task's exception is the one thrown") {
    Workers workers(2);
    CHECK_THROWS_WITH(
        workers.run(2, [](std::size_t task) { fail(ErrorKind::run_time, cat("task ", task)); }),
        "task 0");
  }
}
