#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "messages.h"

namespace strata::onnx {

/// The version of each operator set by domain; "" is ai.onnx.
using OpsetVersions = std::map<std::string, int, std::less<>>;
/// Attributes by name; they belong to the model.
using Attributes = std::map<std::string, const AttributeProto*, std::less<>>;

/// `domain` with the long name of the standard one made short.
inline std::string_view short_domain(std::string_view domain) {
  return domain == "ai.onnx" ? "" : domain;
}
/// The other way round, for messages.
inline std::string_view long_domain(std::string_view domain) {
  return domain.empty() ? "ai.onnx" : domain;
}

/// What the nodes of one block mean beyond their own text: the main graph, or one call of a
/// function; subgraphs share that of the node they belong to.
struct Environment {
  OpsetVersions opsets;
  Attributes attributes;           ///< what attribute references refer to
  std::vector<std::string> calls;  ///< the functions being inlined, outermost first
  std::string prefix;              ///< of node names
};

}  // namespace strata::onnx
