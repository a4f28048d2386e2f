#pragma once

#include <vector>

#include "graph_names.h"

namespace strata::onnx {

/// Indices of `nodes`, every node after those whose outputs it or its subgraphs read; the order of
/// the file where that is such an order. Throws: invalid_model for a cycle and for a name that two
/// nodes define.
std::vector<std::size_t> node_order(const NodeProtos& nodes, GraphNames& names);

}  // namespace strata::onnx
