#pragma once

#include <optional>
#include <string>
#include <vector>

namespace strata::onnx {

/// An attribute that an op of the standard has, and its value where a node leaves it out.
struct StandardAttribute {
  std::string name;
  std::optional<std::string> otherwise;  ///< an AttributeProto
};

/// The function by which the standard defines an op.
struct StandardFunction {
  std::string body;  ///< a FunctionProto
  std::vector<StandardAttribute> attributes;
};

/// What ONNX's own library knows of the standard's functions. Messages are handed over as their
/// bytes.
struct StandardFunctions {
  /// Whether it knows the op.
  bool (*has_op)(const std::string& domain, const std::string& op_type);
  /// Whether this version of an op, or the one before it that is known, has a body.
  bool (*has_body)(const std::string& domain, const std::string& op_type, int version);
  /// The body for `node`, a NodeProto, whose inputs have `types`, each a TypeProto; none where
  /// there is none, or none for all of the node's attributes. Throws: std::exception when the body
  /// cannot be made for the node.
  std::optional<StandardFunction> (*find)(const std::string& node, int version,
                                          const std::vector<std::string>& types);
};

/// The table of the library, or null where it cannot be had. A program links one of two
/// definitions: one has libonnx linked, the other loads it when it is first asked.
const StandardFunctions* standard_functions();

/// The table, in the sources that are compiled against libonnx.
const StandardFunctions* libonnx_functions();

}  // namespace strata::onnx
