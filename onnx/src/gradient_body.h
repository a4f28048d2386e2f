#pragma once

#include "graph_names.h"
#include "message_arena.h"

namespace strata::onnx {

/// Whether `node` is a Gradient, which names tensors of the graph around it.
bool is_gradient(const NodeProto& node);

/// Gives a Gradient the graph that it differentiates as an attribute `body`: those of `nodes` that
/// lead from its xs and zs to its y. Does nothing when it has one. Throws: invalid_model when none
/// of `nodes` computes y.
void give_gradient_body(NodeProto& node, const NodeProtos& nodes, MessageArena& arena);

}  // namespace strata::onnx
