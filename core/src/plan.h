#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "strata/core/session.h"

namespace strata {

/// What a session does, in order. A value is named by its place in the list `values`.
struct Plan::Schedule {
  using Places = SmallVector<std::uint32_t, 4>;
  struct Step {
    std::uint32_t node = 0;
    Places inputs;   ///< values read
    Places outputs;  ///< values made
    Places frees;    ///< values that nobody reads after this step
    bool kernel = false;
  };
  struct ValueInfo {
    OutletId outlet;
    std::uint32_t made_at = 0;    ///< index of the step that makes it
    std::uint32_t last_read = 0;  ///< index of the last step that reads it
    bool persistent = false;      ///< a constant
    bool is_output = false;       ///< leaves the session
    bool from_kernel = false;
  };
  std::vector<Step> steps;
  std::vector<ValueInfo> values;
  std::vector<std::uint32_t> inputs;   ///< values of the graph inputs
  std::vector<std::uint32_t> outputs;  ///< values of the graph outputs
  std::vector<std::pair<std::uint32_t, Value>> constants;
  std::map<const TypedModel*, std::shared_ptr<const Plan>> bodies;
};

}  // namespace strata
