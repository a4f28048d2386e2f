#include "type_proto.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "graph_names.h"
#include "strata/core/error.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {
namespace {

/// Sequences of optionals of sequences: far deeper than any op makes.
constexpr int kTypeNesting = 16;

DatumType element_type(int data_type) {
  const auto type = datum_type_of_onnx(data_type);
  check(type.has_value(), "data type ", data_type, " is not one of ONNX");
  return *type;
}

bool is_filled_in(const TypeProto& proto) {
  return proto.tensor_type || proto.sequence_type || proto.map_type || proto.opaque_type ||
         proto.sparse_tensor_type || proto.optional_type;
}

[[noreturn]] void refuse(const TypeProto& proto) {
  if (proto.map_type) fail(ErrorKind::unsupported, "maps are not supported");
  if (proto.sparse_tensor_type)
    fail(ErrorKind::unsupported, "wires of sparse tensors are not supported");
  fail(ErrorKind::unsupported, "opaque types are not supported");
}

void check_depth(int depth) {
  check(depth < kTypeNesting, "a type nests deeper than ", kTypeNesting);
}

/// Whether a dim_param names a size. Exporters write `?` for each that they do not know.
bool is_name(Text dim_param) {
  return std::any_of(dim_param.begin(), dim_param.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalpha(byte) || byte >= 0x80 || c == '_';
  });
}

/// Null for an unknown size, which ONNX states as a dim without value; exporters also write -1.
std::optional<Dim> dim_of(const DimProto& proto, DimNames& names, NewName new_name) {
  if (proto.value && *proto.value != -1) {
    check(*proto.value >= 0, "size ", *proto.value, " is negative");
    return Dim(*proto.value);
  }
  if (!is_name(proto.param)) return std::nullopt;
  if (new_name == NewName::unknown && !names.knows(proto.param)) return std::nullopt;
  return names.symbol(proto.param);
}

std::optional<hir::PartialShape> shape_of(const TensorTypeProto& proto, DimNames& names,
                                          NewName new_name) {
  if (!proto.shape) return std::nullopt;
  hir::PartialShape shape;
  Shape known;
  for (const DimProto& dim : proto.shape->dim) {
    shape.push_back(dim_of(dim, names, new_name));
    if (const auto size = shape.back() ? shape.back()->constant() : std::nullopt)
      known.push_back(*size);
  }
  element_count(known);
  return shape;
}

hir::InferenceFact container(ValueType::Kind kind, hir::InferenceFact element) {
  hir::InferenceFact fact;
  fact.kind = kind;
  fact.element = std::make_shared<const hir::InferenceFact>(std::move(element));
  return fact;
}

hir::InferenceFact nested_fact(const TypeProto& proto, DimNames& names, NewName new_name,
                               int depth) {
  check_depth(depth);
  if (!is_filled_in(proto)) return {};
  if (proto.tensor_type) {
    const TensorTypeProto& tensor = *proto.tensor_type;
    std::optional<DatumType> type;
    if (tensor.elem_type != 0) type = element_type(tensor.elem_type);
    return hir::InferenceFact::tensor(type, shape_of(tensor, names, new_name));
  }
  if (proto.sequence_type)  // a new name may stand for another size in each item
    return container(
        ValueType::Kind::sequence,
        nested_fact(or_empty(proto.sequence_type->elem_type), names, NewName::unknown, depth + 1));
  if (proto.optional_type)
    return container(
        ValueType::Kind::optional,
        nested_fact(or_empty(proto.optional_type->elem_type), names, new_name, depth + 1));
  refuse(proto);
}

ValueType nested_type(const TypeProto& proto, int depth) {
  check_depth(depth);
  check(is_filled_in(proto), "a type is not filled in");
  if (proto.tensor_type) return ValueType::tensor(element_type(proto.tensor_type->elem_type));
  if (proto.sequence_type)
    return ValueType::sequence(nested_type(or_empty(proto.sequence_type->elem_type), depth + 1));
  if (proto.optional_type)
    return ValueType::optional(nested_type(or_empty(proto.optional_type->elem_type), depth + 1));
  refuse(proto);
}

/// `name` with the characters replaced that a symbol's name cannot have; reserved names get a
/// prefix.
std::string as_symbol_name(Text name) {
  constexpr std::array kReserved = {"mod", "min", "max", "floor_div", "ceil_div"};
  std::string out(name);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (!std::isalnum(byte) && byte < 0x80 && c != '.') c = '_';
  }
  const auto first = static_cast<unsigned char>(out[0]);
  const bool starts_well = std::isalpha(first) || first >= 0x80 || first == '_';
  const bool is_reserved = std::find(kReserved.begin(), kReserved.end(), out) != kReserved.end();
  return starts_well && !is_reserved && !SymbolScope::is_fresh_name(out) ? out : "dim_" + out;
}

/// Collects the dim_params of inputs that name symbols as they are.
class PlainNames {
 public:
  void add(const NodeProtos& nodes) {
    for (const auto& node : nodes)
      for_each_subgraph(node, [&](const GraphProto& graph) { add(graph); });
  }
  void add(const GraphProto& graph) {
    for (const auto& input : graph.input) add(input.type);
    add(graph.node);
  }
  std::set<std::string> take() { return std::move(names_); }

 private:
  void add(const TypeProto& type, int depth = 0) {
    if (type.optional_type && depth < kTypeNesting)
      add(or_empty(type.optional_type->elem_type), depth + 1);
    if (!type.tensor_type || !type.tensor_type->shape) return;
    for (const DimProto& dim : type.tensor_type->shape->dim)
      if (is_name(dim.param) && as_symbol_name(dim.param) == dim.param) names_.emplace(dim.param);
  }

  std::set<std::string> names_;
};

}  // namespace

Dim DimNames::symbol(Text dim_param) {
  const auto known = dims_.find(dim_param);
  if (known != dims_.end()) return known->second;
  std::string name = as_symbol_name(dim_param);
  if (name != dim_param) name = free_name(name);
  symbols_->reserve(name);
  return dims_.emplace(std::string(dim_param), Dim::symbol(name)).first->second;
}

std::string DimNames::free_name(const std::string& base) {
  if (!taken_) {
    PlainNames plain;
    plain.add(*model_.graph);
    for (const auto& function : model_.functions) plain.add(function.node);
    taken_ = plain.take();
  }
  std::string name = base;
  for (std::size_t i = 1; !taken_->insert(name).second; ++i) name = cat(base, '_', i);
  return name;
}

ValueType value_type_of(const TypeProto& proto) { return nested_type(proto, 0); }

hir::InferenceFact fact_of(const TypeProto& proto, DimNames& names, NewName new_name) {
  return nested_fact(proto, names, new_name, 0);
}

MapFacts facts_of_map(const MapTypeProto& proto, SymbolScope& symbols) {
  const TypeProto& value = or_empty(proto.value_type);
  require(value.tensor_type, ErrorKind::unsupported,
          "a map to other things than elements of tensors");
  const hir::PartialShape shape{symbols.fresh()};
  return {hir::InferenceFact::tensor(element_type(proto.key_type), shape),
          hir::InferenceFact::tensor(element_type(value.tensor_type->elem_type), shape)};
}

}  // namespace strata::onnx
