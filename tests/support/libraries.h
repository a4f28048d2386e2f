#pragma once

namespace strata::tests {

/// Provides core with the image codecs and the text functions that this build has.
void provide_libraries();

}  // namespace strata::tests
