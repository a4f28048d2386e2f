#pragma once

namespace strata::cli {

/// Provides core with image codecs and text functions from the modules beside the program, each
/// loaded when an op first needs it.
void provide_libraries();

}  // namespace strata::cli
