#pragma once

namespace strata::cli {

/// Ends the process with kTimeout a moment after so many seconds, whatever it does then, and leaves
/// no half-written file behind. Runs end by Limits::time before that and say where they were;
/// loading, rewriting and writing models have no such limit.
void end_after(double seconds);

}  // namespace strata::cli
