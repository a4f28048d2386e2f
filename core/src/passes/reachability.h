#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata {

using NodeList = std::vector<std::uint32_t>;

enum class Way { to_inputs, to_readers };

/// The nodes one step from node `id`; one that reads it twice is there twice.
NodeList next_nodes(const TypedModel& model, std::uint32_t id, Way way);

/// Marks the nodes that can be reached from `begin`, these included; all nodes if more than `most`
/// would have to be visited.
std::vector<bool> reached(const TypedModel& model, const NodeList& begin, Way way,
                          std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace strata
