#pragma once

namespace strata {

/// The core that the calling thread runs on; -1 where the system does not tell.
int current_core();

/// Moves the calling thread to another core if it runs on this one and may run on others. Systems
/// leave a thread that has been woken beside the one that woke it, for as long as tens of
/// milliseconds, even where another core has nothing to do.
void leave_core(int core);

}  // namespace strata
