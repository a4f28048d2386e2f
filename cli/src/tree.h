#pragma once

#include <string>

#include "listing.h"
#include "terminal.h"

namespace strata::cli {

/// A model as text, one line a node:
///
///     conv  Conv strides=[1,1] (x, w: f32[8,3,3,3] 0.1, …) -> f32[1,8,26,26]
///
/// Constants stand where they are used; bodies are indented below their node.
std::string tree_text(const ListedGraph& graph, const Style& style);

/// `1.23 M FLOPs`, or that they are not known. For typed models.
std::string flops_text(const Summary& summary);

/// The counts, three lines of them.
std::string summary_text(const Summary& summary, const Style& style);

}  // namespace strata::cli
