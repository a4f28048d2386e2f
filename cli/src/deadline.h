#pragma once

namespace strata::cli {

/// Ends the process with kTimeout a moment after so many seconds, whatever it is doing, and leaves
/// no half-written file behind. The moment lets a run end by Limits::time first, and report where
/// it was; loading, rewriting and writing models have no such limit.
void end_after(double seconds);

}  // namespace strata::cli
