#include "strata/core/ops/label_encoder.h"

#include "ops/all.h"
#include "ops/ml_attributes.h"

namespace strata::onnx {
namespace {

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

hir::InferenceOp label_encoder(NodeArgs& node) {
  LabelEncoder op;
  op.keys = list_of(node, "keys");
  op.values = list_of(node, "values");
  op.otherwise = default_of(node, op.values.dtype());
  return hir::Direct{op};
}

/// Texts and integers side by side, looked up from text to integer or back by the type of the
/// input.
struct CategoryEncoder {
  static constexpr std::string_view name = "CategoryEncoder";
  Tensor texts;
  Tensor integers;
  std::int64_t default_integer = -1;
  std::string default_text;

  void rules(hir::Rules& r) const {
    const auto x = r.input(0, "X"), y = r.output(0, "Y");
    r.require(y.shape == x.shape);
    if (const auto type = x.dtype.known())
      r.require(y.dtype == (type == DatumType::string ? DatumType::i64 : DatumType::string));
    else if (const auto mapped = y.dtype.known())
      r.require(x.dtype == (mapped == DatumType::string ? DatumType::i64 : DatumType::string));
  }

  OutletIds wire(hir::Builder& b, const OutletIds& in) const {
    if (b.fact(in[0]).dtype == DatumType::string)
      return b.wire(LabelEncoder{texts, integers, Tensor::scalar(default_integer)}, in);
    return b.wire(LabelEncoder{integers, texts, Tensor::scalar(default_text)}, in);
  }
};

CategoryEncoder category_encoder(NodeArgs& node, const std::vector<std::string>& texts,
                                 const Shape& integers) {
  check(texts.size() == integers.size(), texts.size(), " texts and ", integers.size(), " integers");
  return {vector_of(texts), integers_tensor(integers), node.integer("default_int64", -1),
          node.text("default_string", "_Unused")};
}

/// Version 1 went by the place in a list of strings.
hir::InferenceOp parse_label_encoder(NodeArgs& node) {
  node.expect_inputs(1, 1);
  if (node.version() > 1) return label_encoder(node);
  const auto classes = node.texts("classes_strings").value_or(std::vector<std::string>{});
  Shape places;
  for (std::size_t i = 0; i < classes.size(); ++i) places.push_back(static_cast<std::int64_t>(i));
  return category_encoder(node, classes, places);
}

hir::InferenceOp parse_category_mapper(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return category_encoder(node, node.texts("cats_strings").value_or(std::vector<std::string>{}),
                          node.integers("cats_int64s").value_or(Shape{}));
}

}  // namespace

void register_label_encoder(Registry& r) {
  r.add_to(kMl, "CategoryMapper", {1}, parse_category_mapper);
  r.add_to(kMl, "LabelEncoder", {1, 2, 4}, parse_label_encoder);
}

}  // namespace strata::onnx
