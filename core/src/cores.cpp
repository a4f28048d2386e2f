#include "cores.h"

#if defined(__linux__)
#include <sched.h>
#endif

namespace strata {

#if defined(__linux__)

int current_core() { return ::sched_getcpu(); }

void leave_core(int core) {
  cpu_set_t allowed;
  if (core < 0 || core >= CPU_SETSIZE || current_core() != core ||
      ::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<unsigned>(core), &others);
  if (CPU_COUNT(&others) == 0 || ::sched_setaffinity(0, sizeof others, &others) != 0) return;
  ::sched_setaffinity(0, sizeof allowed, &allowed);
}

#else

int current_core() { return -1; }
void leave_core(int) {}

#endif

}  // namespace strata
