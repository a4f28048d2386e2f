#include "strata/core/ops/label_encoder.h"

#include "ops/all.h"
#include "ops/named.h"

namespace strata::onnx {
namespace {

template <class T>
Tensor vector_of(const std::vector<T>& values) {
  return Tensor::vector<T>(std::span<const T>(values));
}

/// The list in the one attribute of a family (`keys_strings`, `keys_int64s`, …) that is there.
Tensor list_of(NodeArgs& node, std::string_view family) {
  std::vector<Tensor> found;
  if (const auto texts = node.texts(cat(family, "_strings"))) found.push_back(vector_of(*texts));
  if (const auto integers = node.integers(cat(family, "_int64s")))
    found.push_back(integers_tensor(*integers));
  if (const auto numbers = node.numbers(cat(family, "_floats")))
    found.push_back(vector_of(*numbers));
  if (node.version() >= 4)
    if (const auto tensor = node.tensor(cat(family, "_tensor")))
      found.push_back(tensor->reshaped({tensor->size()}));
  check(found.size() == 1, found.size(), " attributes give the ", family, " of the encoder");
  return found[0];
}

Tensor default_of(NodeArgs& node, DatumType type) {
  const std::string text = node.text("default_string", "_Unused");
  const std::int64_t integer = node.integer("default_int64", -1);
  const double number = node.number("default_float", -0.0);
  if (node.version() >= 4)
    if (const auto tensor = node.tensor("default_tensor")) return *tensor;
  if (type == DatumType::string) return Tensor::scalar(text);
  if (is_integer(type)) return cast(Tensor::scalar(integer), type);
  return cast(Tensor::scalar(number), type);
}

hir::InferenceOp parse_label_encoder(NodeArgs& node) {
  node.expect_inputs(1, 1);
  LabelEncoder op;
  op.keys = list_of(node, "keys");
  op.values = list_of(node, "values");
  op.otherwise = default_of(node, op.values.dtype());
  return hir::Direct{op};
}

/// Version 1 went by the place in a list of strings, from text to number or back by the type of the
/// input.
struct ClassEncoder {
  static constexpr std::string_view name = "ClassEncoder";
  std::vector<std::string> classes;
  std::int64_t default_integer = -1;
  std::string default_text;

  OutletIds wire(hir::Builder& b, const OutletIds& in) const {
    const Tensor texts = vector_of(classes);
    Shape places;
    for (std::size_t i = 0; i < classes.size(); ++i) places.push_back(static_cast<std::int64_t>(i));
    if (b.fact(in[0]).dtype == DatumType::string)
      return b.wire(LabelEncoder{texts, integers_tensor(places), Tensor::scalar(default_integer)},
                    in);
    return b.wire(LabelEncoder{integers_tensor(places), texts, Tensor::scalar(default_text)}, in);
  }
};

hir::InferenceOp parse_class_encoder(NodeArgs& node) {
  if (node.version() > 1) return parse_label_encoder(node);
  node.expect_inputs(1, 1);
  return ClassEncoder{node.texts("classes_strings").value_or(std::vector<std::string>{}),
                      node.integer("default_int64", -1), node.text("default_string", "_Unused")};
}

}  // namespace

void register_label_encoder(Registry& r) {
  r.add_to("ai.onnx.ml", "LabelEncoder", {1, 2, 4}, parse_class_encoder);
}

}  // namespace strata::onnx
