#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "message_list.h"

/// The messages of an ONNX file, as far as they mean something to us: fields that are not here are
/// passed over. Texts and bytes lie in the file, lists and messages in an arena (message_arena.h).
namespace strata::onnx {

using Text = std::string_view;

/// A field of a message by its number in the file.
template <class Member>
struct Field {
  std::uint32_t number;
  Member member;
};
template <class Member>
Field(std::uint32_t, Member) -> Field<Member>;

/// `*message`, or an empty message for null.
template <class Message>
const Message& or_empty(const Message* message) {
  static constexpr Message kEmpty{};
  return message ? *message : kEmpty;
}

struct GraphProto;
struct TypeProto;

struct StringStringEntry {
  Text key, value;
  static constexpr auto fields() {
    return std::tuple{Field{1, &StringStringEntry::key}, Field{2, &StringStringEntry::value}};
  }
};

struct TensorProto {
  static constexpr int kExternal = 1;  ///< a `data_location`

  List<std::int64_t> dims;
  int data_type = 0;
  std::optional<Text> segment;
  List<float> float_data;
  List<std::int32_t> int32_data;
  List<Text> string_data;
  List<std::int64_t> int64_data;
  Text name;
  std::optional<Text> raw_data;
  List<double> double_data;
  List<std::uint64_t> uint64_data;
  List<StringStringEntry> external_data;
  int data_location = 0;

  static constexpr auto fields() {
    using P = TensorProto;
    return std::tuple{
        Field{1, &P::dims},          Field{2, &P::data_type},    Field{3, &P::segment},
        Field{4, &P::float_data},    Field{5, &P::int32_data},   Field{6, &P::string_data},
        Field{7, &P::int64_data},    Field{8, &P::name},         Field{9, &P::raw_data},
        Field{10, &P::double_data},  Field{11, &P::uint64_data}, Field{13, &P::external_data},
        Field{14, &P::data_location}};
  }
};

struct SparseTensorProto {
  TensorProto values, indices;
  List<std::int64_t> dims;

  static constexpr auto fields() {
    using P = SparseTensorProto;
    return std::tuple{Field{1, &P::values}, Field{2, &P::indices}, Field{3, &P::dims}};
  }
};

/// A size: a number or a name; neither where it is not known.
struct DimProto {
  std::optional<std::int64_t> value;
  Text param;
  static constexpr auto fields() {
    return std::tuple{Field{1, &DimProto::value}, Field{2, &DimProto::param}};
  }
};

struct ShapeProto {
  List<DimProto> dim;
  static constexpr auto fields() { return std::tuple{Field{1, &ShapeProto::dim}}; }
};

struct TensorTypeProto {
  int elem_type = 0;
  ShapeProto* shape = nullptr;
  static constexpr auto fields() {
    return std::tuple{Field{1, &TensorTypeProto::elem_type}, Field{2, &TensorTypeProto::shape}};
  }
};

/// The type of a sequence or an optional.
struct HolderTypeProto {
  TypeProto* elem_type = nullptr;
  static constexpr auto fields() { return std::tuple{Field{1, &HolderTypeProto::elem_type}}; }
};

struct MapTypeProto {
  int key_type = 0;
  TypeProto* value_type = nullptr;
  static constexpr auto fields() {
    return std::tuple{Field{1, &MapTypeProto::key_type}, Field{2, &MapTypeProto::value_type}};
  }
};

/// At most one of these.
struct TypeProto {
  TensorTypeProto* tensor_type = nullptr;
  HolderTypeProto* sequence_type = nullptr;
  MapTypeProto* map_type = nullptr;
  std::optional<Text> opaque_type;
  std::optional<Text> sparse_tensor_type;
  HolderTypeProto* optional_type = nullptr;

  static constexpr auto fields() {
    using P = TypeProto;
    return std::tuple{Field{1, &P::tensor_type},        Field{4, &P::sequence_type},
                      Field{5, &P::map_type},           Field{7, &P::opaque_type},
                      Field{8, &P::sparse_tensor_type}, Field{9, &P::optional_type}};
  }
};

struct ValueInfoProto {
  Text name;
  TypeProto type;
  static constexpr auto fields() {
    return std::tuple{Field{1, &ValueInfoProto::name}, Field{2, &ValueInfoProto::type}};
  }
};

struct AttributeProto {
  // What `type` says; files before IR version 2 do not.
  static constexpr int kUndefined = 0, kFloat = 1, kInt = 2, kString = 3, kTensor = 4, kGraph = 5,
                       kFloats = 6, kInts = 7, kStrings = 8, kSparseTensor = 11, kTypeProto = 13;

  Text name;
  std::optional<float> f;
  std::optional<std::int64_t> i;
  std::optional<Text> s;
  TensorProto* t = nullptr;
  GraphProto* g = nullptr;
  List<float> floats;
  List<std::int64_t> ints;
  List<Text> strings;
  List<GraphProto> graphs;
  TypeProto* tp = nullptr;
  int type = kUndefined;
  Text ref_attr_name;
  SparseTensorProto* sparse_tensor = nullptr;
  Text bytes;  ///< all of the message, as it lies in the file

  static constexpr auto fields() {
    using P = AttributeProto;
    return std::tuple{Field{1, &P::name},
                      Field{2, &P::f},
                      Field{3, &P::i},
                      Field{4, &P::s},
                      Field{5, &P::t},
                      Field{6, &P::g},
                      Field{7, &P::floats},
                      Field{8, &P::ints},
                      Field{9, &P::strings},
                      Field{11, &P::graphs},
                      Field{14, &P::tp},
                      Field{20, &P::type},
                      Field{21, &P::ref_attr_name},
                      Field{22, &P::sparse_tensor}};
  }
};

struct NodeProto {
  List<Text> input, output;
  Text name, op_type;
  List<AttributeProto> attribute;
  Text domain, overload;

  static constexpr auto fields() {
    using P = NodeProto;
    return std::tuple{Field{1, &P::input},   Field{2, &P::output},    Field{3, &P::name},
                      Field{4, &P::op_type}, Field{5, &P::attribute}, Field{7, &P::domain},
                      Field{8, &P::overload}};
  }
};

struct GraphProto {
  List<NodeProto> node;
  List<TensorProto> initializer;
  List<ValueInfoProto> input, output, value_info;
  List<SparseTensorProto> sparse_initializer;

  static constexpr auto fields() {
    using P = GraphProto;
    return std::tuple{Field{1, &P::node},        Field{5, &P::initializer},
                      Field{11, &P::input},      Field{12, &P::output},
                      Field{13, &P::value_info}, Field{15, &P::sparse_initializer}};
  }
};

struct OperatorSetIdProto {
  Text domain;
  std::int64_t version = 0;
  static constexpr auto fields() {
    return std::tuple{Field{1, &OperatorSetIdProto::domain},
                      Field{2, &OperatorSetIdProto::version}};
  }
};

struct FunctionProto {
  Text name;
  List<Text> input, output, attribute;
  List<NodeProto> node;
  List<OperatorSetIdProto> opset_import;
  Text domain;
  List<AttributeProto> attribute_proto;  ///< those that a call may leave out
  Text overload;

  static constexpr auto fields() {
    using P = FunctionProto;
    return std::tuple{Field{1, &P::name},     Field{4, &P::input},
                      Field{5, &P::output},   Field{6, &P::attribute},
                      Field{7, &P::node},     Field{9, &P::opset_import},
                      Field{10, &P::domain},  Field{11, &P::attribute_proto},
                      Field{13, &P::overload}};
  }
};

struct ModelProto {
  std::int64_t ir_version = 0;
  GraphProto* graph = nullptr;
  List<OperatorSetIdProto> opset_import;
  List<FunctionProto> functions;

  static constexpr auto fields() {
    using P = ModelProto;
    return std::tuple{Field{1, &P::ir_version}, Field{7, &P::graph}, Field{8, &P::opset_import},
                      Field{25, &P::functions}};
  }
};

}  // namespace strata::onnx
