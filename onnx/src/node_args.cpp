#include "node_args.h"

#include <onnx/onnx_pb.h>

#include <array>

#include "strata/core/error.h"
#include "type_proto.h"

namespace strata::onnx {
namespace {

using ::onnx::AttributeProto;

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

/// The kind of an attribute; files before IR version 2 do not state it.
int kind_of(const AttributeProto& attribute) {
  if (attribute.type() != AttributeProto::UNDEFINED) return attribute.type();
  if (attribute.has_f()) return AttributeProto::FLOAT;
  if (attribute.has_i()) return AttributeProto::INT;
  if (attribute.has_s()) return AttributeProto::STRING;
  if (attribute.has_t()) return AttributeProto::TENSOR;
  if (attribute.has_g()) return AttributeProto::GRAPH;
  if (attribute.floats_size()) return AttributeProto::FLOATS;
  if (attribute.ints_size()) return AttributeProto::INTS;
  if (attribute.strings_size()) return AttributeProto::STRINGS;
  return AttributeProto::UNDEFINED;
}

bool is_list(int kind) {
  return kind == AttributeProto::FLOATS || kind == AttributeProto::INTS ||
         kind == AttributeProto::STRINGS;
}

}  // namespace

AttributeProto* resolve_attribute(AttributeProto& attribute, const Environment& environment) {
  if (attribute.ref_attr_name().empty()) return &attribute;
  check(!environment.calls.empty(), "attribute ", in_quotes(attribute.name()), " refers to ",
        in_quotes(attribute.ref_attr_name()), " of a function, but is in none");
  const auto found = environment.attributes.find(attribute.ref_attr_name());
  if (found == environment.attributes.end()) return nullptr;
  const int given = kind_of(*found->second), wanted = attribute.type();
  check(wanted == AttributeProto::UNDEFINED || given == wanted, "attribute ",
        in_quotes(attribute.ref_attr_name()), " of the function is ", kind_text(given),
        ", its body wants ", kind_text(wanted));
  return found->second;
}

ProtoNodeArgs::ProtoNodeArgs(::onnx::NodeProto& node, int version, const Environment& environment,
                             TensorReader& tensors, BuildSubgraph build_subgraph)
    : node_(node),
      version_(version),
      tensors_(tensors),
      build_subgraph_(std::move(build_subgraph)) {
  for (AttributeProto& attribute : *node.mutable_attribute()) {
    AttributeProto* value = resolve_attribute(attribute, environment);
    if (!value) continue;
    check(!has(attribute.name()), "attribute ", in_quotes(attribute.name()), " is given twice");
    given_.push_back({attribute.name(), value, false});
  }
  std::sort(given_.begin(), given_.end(),
            [](const Given& a, const Given& b) { return a.name < b.name; });
}

std::string_view ProtoNodeArgs::op_type() const { return node_.op_type(); }
std::size_t ProtoNodeArgs::input_count() const {
  return static_cast<std::size_t>(node_.input_size());
}
std::size_t ProtoNodeArgs::output_count() const {
  return static_cast<std::size_t>(node_.output_size());
}
bool ProtoNodeArgs::has_input(std::size_t i) const {
  return i < input_count() && !node_.input(static_cast<int>(i)).empty();
}
bool ProtoNodeArgs::has_output(std::size_t i) const {
  return i < output_count() && !node_.output(static_cast<int>(i)).empty();
}

AttributeProto* ProtoNodeArgs::read(std::string_view name) {
  const auto found = std::find_if(given_.begin(), given_.end(),
                                  [&](const Given& each) { return each.name == name; });
  if (found == given_.end()) return nullptr;
  found->is_read = true;
  return found->attribute;
}

AttributeProto* ProtoNodeArgs::find(std::string_view name, int kind) {
  AttributeProto* attribute = read(name);
  if (!attribute) return nullptr;
  const int given = kind_of(*attribute);
  // Without a stated kind an empty list cannot be told from no value.
  const bool is_empty_list = given == AttributeProto::UNDEFINED && is_list(kind);
  check(given == kind || is_empty_list, "attribute ", in_quotes(name), " is ", kind_text(given),
        ", ", op_type(), " wants ", kind_text(kind));
  return attribute;
}

std::optional<std::int64_t> ProtoNodeArgs::integer(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::INT);
  return attribute ? std::optional<std::int64_t>(attribute->i()) : std::nullopt;
}

std::optional<double> ProtoNodeArgs::number(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::FLOAT);
  return attribute ? std::optional<double>(attribute->f()) : std::nullopt;
}

std::optional<std::string> ProtoNodeArgs::text(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::STRING);
  return attribute ? std::optional(attribute->s()) : std::nullopt;
}

std::optional<Shape> ProtoNodeArgs::integers(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::INTS);
  if (!attribute) return std::nullopt;
  return Shape(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<float>> ProtoNodeArgs::numbers(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::FLOATS);
  if (!attribute) return std::nullopt;
  return std::vector<float>(attribute->floats().begin(), attribute->floats().end());
}

std::optional<std::vector<std::string>> ProtoNodeArgs::texts(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::STRINGS);
  if (!attribute) return std::nullopt;
  return std::vector<std::string>(attribute->strings().begin(), attribute->strings().end());
}

std::optional<Tensor> ProtoNodeArgs::tensor(std::string_view name) {
  const AttributeProto* given = read(name);
  const bool is_sparse = given && given->has_sparse_tensor();
  auto* attribute = find(name, is_sparse ? AttributeProto::SPARSE_TENSOR : AttributeProto::TENSOR);
  if (!attribute) return std::nullopt;
  return is_sparse ? tensors_.read(*attribute->mutable_sparse_tensor())
                   : tensors_.read(*attribute->mutable_t());
}

std::optional<Subgraph> ProtoNodeArgs::graph(std::string_view name) {
  auto* attribute = find(name, AttributeProto::GRAPH);
  if (!attribute) return std::nullopt;
  return build_subgraph_(*attribute->mutable_g());
}

std::optional<ValueType> ProtoNodeArgs::type(std::string_view name) {
  const auto* attribute = find(name, AttributeProto::TYPE_PROTO);
  if (!attribute) return std::nullopt;
  return value_type_of(attribute->tp());
}

void ProtoNodeArgs::expect_all_read() const {
  for (const Given& each : given_)
    check(each.is_read, "attribute ", in_quotes(each.name), " is not one that ", op_type(),
          " version ", version_, " has");
}

}  // namespace strata::onnx
