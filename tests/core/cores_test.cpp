#include "cores.h"

#include <doctest/doctest.h>

#if defined(__linux__)
#include <sched.h>

#include <initializer_list>
#include <limits>

using namespace strata;

namespace {

cpu_set_t allowed_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  REQUIRE(::sched_getaffinity(0, sizeof cores, &cores) == 0);
  return cores;
}

/// Puts back what the calling thread may run on.
struct KeptCores {
  cpu_set_t before = allowed_cores();
  ~KeptCores() { ::sched_setaffinity(0, sizeof before, &before); }
};

}  // namespace

TEST_SUITE("cores") {
  TEST_CASE("a thread that leaves its core runs on another, and may come back") {
    const cpu_set_t before = allowed_cores();
    if (CPU_COUNT(&before) < 2) {
      MESSAGE("this machine has no other core to go to");
      return;
    }
    int moved = 0;
    for (int i = 0; i < 20; ++i) {  // the system may move it at any time
      const int core = current_core();
      leave_core(core);
      moved += current_core() != core;
    }
    CHECK(moved > 10);
    const cpu_set_t after = allowed_cores();
    CHECK(CPU_EQUAL(&before, &after));
  }

  TEST_CASE("a thread stays where it has no other core, or is not on the one to leave") {
    const KeptCores kept;
    const int core = current_core();
    REQUIRE(core >= 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(core), &one);
    REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
    for (const int left :
         {core, core == 0 ? 1 : 0, -1, CPU_SETSIZE, std::numeric_limits<int>::max()}) {
      leave_core(left);
      CHECK(current_core() == core);
      const cpu_set_t after = allowed_cores();
      CHECK(CPU_EQUAL(&one, &after));
    }
  }
}
#endif
