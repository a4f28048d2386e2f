#pragma once

#include "strata/core/ops/pad.h"

namespace strata {

/// Where an element of the padded axis comes from in an axis of `extent` elements; -1 for the
/// constant.
inline std::int64_t pad_source(std::int64_t at, std::int64_t extent, PadMode mode) {
  if (at >= 0 && at < extent) return at;
  switch (mode) {
    case PadMode::constant:
      return -1;
    case PadMode::edge:
      return at < 0 ? 0 : extent - 1;
    case PadMode::wrap:
      return ((at % extent) + extent) % extent;
    case PadMode::reflect: {
      if (extent == 1) return 0;
      const std::int64_t period = 2 * (extent - 1), phase = ((at % period) + period) % period;
      return phase < extent ? phase : period - phase;
    }
  }
  return -1;
}

}  // namespace strata
