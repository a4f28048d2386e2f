#include "ops/padding.h"

namespace strata::onnx {

Padding parse_padding(NodeArgs& node) {
  const std::string kind = node.text("auto_pad", "NOTSET");
  const Shape pads = node.integers("pads").value_or(Shape{});
  if (kind == "NOTSET" || kind.empty()) return {Padding::Kind::fixed, pads};
  if (kind == "SAME_UPPER") return {Padding::Kind::same_upper, {}};
  if (kind == "SAME_LOWER") return {Padding::Kind::same_lower, {}};
  check(kind == "VALID", "auto_pad ", in_quotes(kind),
        " is none of NOTSET, SAME_UPPER, SAME_LOWER and VALID");
  return {Padding::Kind::valid, {}};
}

}  // namespace strata::onnx
