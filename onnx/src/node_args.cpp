#include "node_args.h"

#include <array>

#include "strata/core/error.h"
#include "type_proto.h"

namespace strata::onnx {
namespace {

/// By AttributeProto.AttributeType.
constexpr std::array<std::string_view, 15> kKinds = {"no value",
                                                     "a float",
                                                     "an integer",
                                                     "a string",
                                                     "a tensor",
                                                     "a graph",
                                                     "a list of floats",
                                                     "a list of integers",
                                                     "a list of strings",
                                                     "a list of tensors",
                                                     "a list of graphs",
                                                     "a sparse tensor",
                                                     "a list of sparse tensors",
                                                     "a type",
                                                     "a list of types"};

std::string_view kind_text(int kind) {
  return kind >= 0 && kind < static_cast<int>(kKinds.size())
             ? kKinds[static_cast<std::size_t>(kind)]
             : "of an unknown kind";
}

/// What an attribute says it is; nothing where that is no kind.
int stated_kind(const AttributeProto& attribute) {
  const bool is_kind = attribute.type > 0 && attribute.type < static_cast<int>(kKinds.size());
  return is_kind ? attribute.type : AttributeProto::kUndefined;
}

/// The kind of an attribute; files before IR version 2 do not state it.
int kind_of(const AttributeProto& attribute) {
  if (const int stated = stated_kind(attribute)) return stated;
  if (attribute.f) return AttributeProto::kFloat;
  if (attribute.i) return AttributeProto::kInt;
  if (attribute.s) return AttributeProto::kString;
  if (attribute.t) return AttributeProto::kTensor;
  if (attribute.g) return AttributeProto::kGraph;
  if (!attribute.floats.empty()) return AttributeProto::kFloats;
  if (!attribute.ints.empty()) return AttributeProto::kInts;
  if (!attribute.strings.empty()) return AttributeProto::kStrings;
  return AttributeProto::kUndefined;
}

bool is_list(int kind) {
  return kind == AttributeProto::kFloats || kind == AttributeProto::kInts ||
         kind == AttributeProto::kStrings;
}

}  // namespace

const AttributeProto* resolve_attribute(const AttributeProto& attribute,
                                        const Environment& environment) {
  if (attribute.ref_attr_name.empty()) return &attribute;
  check(!environment.calls.empty(), "attribute ", in_quotes(attribute.name), " refers to ",
        in_quotes(attribute.ref_attr_name), " of a function, but is in none");
  const auto found = environment.attributes.find(attribute.ref_attr_name);
  if (found == environment.attributes.end()) return nullptr;
  const int given = kind_of(*found->second), wanted = stated_kind(attribute);
  check(wanted == AttributeProto::kUndefined || given == wanted, "attribute ",
        in_quotes(attribute.ref_attr_name), " of the function is ", kind_text(given),
        ", its body wants ", kind_text(wanted));
  return found->second;
}

ProtoNodeArgs::ProtoNodeArgs(const NodeProto& node, int version, const Environment& environment,
                             TensorReader& tensors, BuildSubgraph build_subgraph)
    : node_(node),
      version_(version),
      tensors_(tensors),
      build_subgraph_(std::move(build_subgraph)) {
  for (const AttributeProto& attribute : node.attribute) {
    const AttributeProto* value = resolve_attribute(attribute, environment);
    if (!value) continue;
    check(!has(attribute.name), "attribute ", in_quotes(attribute.name), " is given twice");
    given_.push_back({attribute.name, value, false});
  }
  std::sort(given_.begin(), given_.end(),
            [](const Given& a, const Given& b) { return a.name < b.name; });
}

std::string_view ProtoNodeArgs::op_type() const { return node_.op_type; }
std::size_t ProtoNodeArgs::input_count() const { return node_.input.size(); }
std::size_t ProtoNodeArgs::output_count() const { return node_.output.size(); }
bool ProtoNodeArgs::has_input(std::size_t i) const {
  return i < input_count() && !node_.input[i].empty();
}
bool ProtoNodeArgs::has_output(std::size_t i) const {
  return i < output_count() && !node_.output[i].empty();
}

const AttributeProto* ProtoNodeArgs::read(std::string_view name) {
  const auto found = std::find_if(given_.begin(), given_.end(),
                                  [&](const Given& each) { return each.name == name; });
  if (found == given_.end()) return nullptr;
  found->is_read = true;
  return found->attribute;
}

const AttributeProto* ProtoNodeArgs::find(std::string_view name, int kind) {
  const AttributeProto* attribute = read(name);
  if (!attribute) return nullptr;
  const int given = kind_of(*attribute);
  // Without a stated kind an empty list cannot be told from no value.
  const bool is_empty_list = given == AttributeProto::kUndefined && is_list(kind);
  check(given == kind || is_empty_list, "attribute ", in_quotes(name), " is ", kind_text(given),
        ", ", op_type(), " wants ", kind_text(kind));
  return attribute;
}

std::optional<std::int64_t> ProtoNodeArgs::integer(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::kInt);
  return attribute ? std::optional(attribute->i.value_or(0)) : std::nullopt;
}

std::optional<double> ProtoNodeArgs::number(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::kFloat);
  return attribute ? std::optional<double>(attribute->f.value_or(0)) : std::nullopt;
}

std::optional<std::string> ProtoNodeArgs::text(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::kString);
  return attribute ? std::optional(std::string(attribute->s.value_or(""))) : std::nullopt;
}

std::optional<Shape> ProtoNodeArgs::integers(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::kInts);
  if (!attribute) return std::nullopt;
  return Shape(attribute->ints.begin(), attribute->ints.end());
}

std::optional<std::vector<float>> ProtoNodeArgs::numbers(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::kFloats);
  if (!attribute) return std::nullopt;
  return std::vector<float>(attribute->floats.begin(), attribute->floats.end());
}

std::optional<std::vector<std::string>> ProtoNodeArgs::texts(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::kStrings);
  if (!attribute) return std::nullopt;
  return std::vector<std::string>(attribute->strings.begin(), attribute->strings.end());
}

std::optional<Tensor> ProtoNodeArgs::tensor(std::string_view name) {
  const AttributeProto* given = read(name);
  const bool is_sparse = given && given->sparse_tensor;
  const auto* attribute =
      find(name, is_sparse ? AttributeProto::kSparseTensor : AttributeProto::kTensor);
  if (!attribute) return std::nullopt;
  return is_sparse ? tensors_.read(*attribute->sparse_tensor)
                   : tensors_.read(or_empty(attribute->t));
}

std::optional<Subgraph> ProtoNodeArgs::graph(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::kGraph);
  if (!attribute) return std::nullopt;
  return build_subgraph_(or_empty(attribute->g));
}

std::optional<ValueType> ProtoNodeArgs::type(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::kTypeProto);
  if (!attribute) return std::nullopt;
  return value_type_of(or_empty(attribute->tp));
}

void ProtoNodeArgs::expect_all_read() const {
  for (const Given& each : given_)
    check(each.is_read, "attribute ", in_quotes(each.name), " is not one that ", op_type(),
          " version ", version_, " has");
}

}  // namespace strata::onnx
