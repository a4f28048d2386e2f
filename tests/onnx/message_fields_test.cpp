#include <doctest/doctest.h>
#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <string>
#include <tuple>

#include "value_messages.h"
#include "wire.h"

namespace strata::testing {
namespace {

using namespace onnx;
using Descriptor = google::protobuf::Descriptor;
using FieldDescriptor = google::protobuf::FieldDescriptor;

/// What a member holds one or more of.
template <class Member>
struct Held {
  using Item = Member;
  static constexpr bool is_list = false;
};
template <class T>
struct Held<std::optional<T>> : Held<T> {};
template <class T>
struct Held<T*> : Held<T> {};
template <class T>
struct Held<List<T>> {
  using Item = T;
  static constexpr bool is_list = true;
};

/// Whether a member reads what libonnx writes into its field. One that is a text holds a message of
/// which nothing is read, too.
template <class Member>
bool is_read_as(const FieldDescriptor& field) {
  using Item = typename Held<Member>::Item;
  if (field.is_repeated() != Held<Member>::is_list) return false;
  const FieldDescriptor::Type type = field.type();
  if constexpr (std::same_as<Item, Text>)
    return type == FieldDescriptor::TYPE_STRING || type == FieldDescriptor::TYPE_BYTES ||
           type == FieldDescriptor::TYPE_MESSAGE;
  if constexpr (std::same_as<Item, std::int32_t>)
    return type == FieldDescriptor::TYPE_INT32 || type == FieldDescriptor::TYPE_ENUM;
  if constexpr (std::same_as<Item, std::int64_t>) return type == FieldDescriptor::TYPE_INT64;
  if constexpr (std::same_as<Item, std::uint64_t>) return type == FieldDescriptor::TYPE_UINT64;
  if constexpr (std::same_as<Item, float>) return type == FieldDescriptor::TYPE_FLOAT;
  if constexpr (std::same_as<Item, double>) return type == FieldDescriptor::TYPE_DOUBLE;
  return Message<Item> && type == FieldDescriptor::TYPE_MESSAGE;
}

template <class M, class Member>
struct Named {
  std::string name;  ///< of libonnx's field
  Member M::*member;
};
template <class M, class Member>
Named(std::string, Member M::*) -> Named<M, Member>;

/// The number of a member's field; 0 for none.
template <class M, class Member>
std::uint32_t number_of(Member M::*member) {
  std::uint32_t number = 0;
  const auto note = [&](const auto& field) {
    if constexpr (std::same_as<decltype(field.member), Member M::*>)
      if (field.member == member) number = field.number;
  };
  std::apply([&](const auto&... field) { (note(field), ...); }, M::fields());
  return number;
}

/// Checks all members of `M` against the fields of libonnx's message.
template <class M, class... Member>
void check_fields(const Descriptor* message, Named<M, Member>... named) {
  CAPTURE(message->full_name());
  CHECK(std::tuple_size_v<decltype(M::fields())> == sizeof...(named));
  const auto check_field = [&]<class T>(const Named<M, T>& each) {
    CAPTURE(each.name);
    const FieldDescriptor* field = message->FindFieldByName(each.name);
    const bool is_new = each.name == "overload" || each.name == "attribute_proto";
    if (is_new && !field) return;  // of ONNX 1.13 and 1.16: libonnx may be older
    REQUIRE(field != nullptr);
    CHECK(std::cmp_equal(number_of(each.member), field->number()));
    CHECK(is_read_as<T>(*field));
  };
  (check_field(named), ...);
}

}  // namespace

TEST_CASE("each member of a tensor has the number and the type of its field in libonnx") {
  using T = TensorProto;
  check_fields(
      ::onnx::TensorProto::descriptor(), Named{"dims", &T::dims}, Named{"data_type", &T::data_type},
      Named{"segment", &T::segment}, Named{"float_data", &T::float_data},
      Named{"int32_data", &T::int32_data}, Named{"string_data", &T::string_data},
      Named{"int64_data", &T::int64_data}, Named{"name", &T::name}, Named{"raw_data", &T::raw_data},
      Named{"double_data", &T::double_data}, Named{"uint64_data", &T::uint64_data},
      Named{"external_data", &T::external_data}, Named{"data_location", &T::data_location});
  check_fields(::onnx::StringStringEntryProto::descriptor(), Named{"key", &StringStringEntry::key},
               Named{"value", &StringStringEntry::value});
  using Sparse = SparseTensorProto;
  check_fields(::onnx::SparseTensorProto::descriptor(), Named{"values", &Sparse::values},
               Named{"indices", &Sparse::indices}, Named{"dims", &Sparse::dims});
  CHECK(T::kExternal == ::onnx::TensorProto::EXTERNAL);
}

TEST_CASE("each member of a type has the number and the type of its field in libonnx") {
  using T = TypeProto;
  check_fields(::onnx::TypeProto::descriptor(), Named{"tensor_type", &T::tensor_type},
               Named{"sequence_type", &T::sequence_type}, Named{"map_type", &T::map_type},
               Named{"opaque_type", &T::opaque_type},
               Named{"sparse_tensor_type", &T::sparse_tensor_type},
               Named{"optional_type", &T::optional_type});
  check_fields(::onnx::TypeProto::Tensor::descriptor(),
               Named{"elem_type", &TensorTypeProto::elem_type},
               Named{"shape", &TensorTypeProto::shape});
  for (const Descriptor* holder :
       {::onnx::TypeProto::Sequence::descriptor(), ::onnx::TypeProto::Optional::descriptor()})
    check_fields(holder, Named{"elem_type", &HolderTypeProto::elem_type});
  check_fields(::onnx::TypeProto::Map::descriptor(), Named{"key_type", &MapTypeProto::key_type},
               Named{"value_type", &MapTypeProto::value_type});
  check_fields(::onnx::TensorShapeProto::descriptor(), Named{"dim", &ShapeProto::dim});
  check_fields(::onnx::TensorShapeProto::Dimension::descriptor(),
               Named{"dim_value", &DimProto::value}, Named{"dim_param", &DimProto::param});
  check_fields(::onnx::ValueInfoProto::descriptor(), Named{"name", &ValueInfoProto::name},
               Named{"type", &ValueInfoProto::type});
}

TEST_CASE("each member of a node has the number and the type of its field in libonnx") {
  using A = AttributeProto;
  check_fields(::onnx::AttributeProto::descriptor(), Named{"name", &A::name}, Named{"f", &A::f},
               Named{"i", &A::i}, Named{"s", &A::s}, Named{"t", &A::t}, Named{"g", &A::g},
               Named{"floats", &A::floats}, Named{"ints", &A::ints}, Named{"strings", &A::strings},
               Named{"graphs", &A::graphs}, Named{"tp", &A::tp}, Named{"type", &A::type},
               Named{"ref_attr_name", &A::ref_attr_name},
               Named{"sparse_tensor", &A::sparse_tensor});
  using N = NodeProto;
  check_fields(::onnx::NodeProto::descriptor(), Named{"input", &N::input},
               Named{"output", &N::output}, Named{"name", &N::name}, Named{"op_type", &N::op_type},
               Named{"attribute", &N::attribute}, Named{"domain", &N::domain},
               Named{"overload", &N::overload});
  CHECK(number_of(&N::overload) == 8);
  using Theirs = ::onnx::AttributeProto;
  CHECK(A::kUndefined == Theirs::UNDEFINED);
  CHECK(A::kFloat == Theirs::FLOAT);
  CHECK(A::kInt == Theirs::INT);
  CHECK(A::kString == Theirs::STRING);
  CHECK(A::kTensor == Theirs::TENSOR);
  CHECK(A::kGraph == Theirs::GRAPH);
  CHECK(A::kFloats == Theirs::FLOATS);
  CHECK(A::kInts == Theirs::INTS);
  CHECK(A::kStrings == Theirs::STRINGS);
  CHECK(A::kSparseTensor == Theirs::SPARSE_TENSOR);
  CHECK(A::kTypeProto == Theirs::TYPE_PROTO);
}

TEST_CASE("each member of a model has the number and the type of its field in libonnx") {
  using G = GraphProto;
  check_fields(::onnx::GraphProto::descriptor(), Named{"node", &G::node},
               Named{"initializer", &G::initializer}, Named{"input", &G::input},
               Named{"output", &G::output}, Named{"value_info", &G::value_info},
               Named{"sparse_initializer", &G::sparse_initializer});
  check_fields(::onnx::OperatorSetIdProto::descriptor(),
               Named{"domain", &OperatorSetIdProto::domain},
               Named{"version", &OperatorSetIdProto::version});
  using F = FunctionProto;
  check_fields(::onnx::FunctionProto::descriptor(), Named{"name", &F::name},
               Named{"input", &F::input}, Named{"output", &F::output},
               Named{"attribute", &F::attribute}, Named{"node", &F::node},
               Named{"opset_import", &F::opset_import}, Named{"domain", &F::domain},
               Named{"attribute_proto", &F::attribute_proto}, Named{"overload", &F::overload});
  CHECK(number_of(&F::attribute_proto) == 11);
  CHECK(number_of(&F::overload) == 13);
  using M = ModelProto;
  check_fields(::onnx::ModelProto::descriptor(), Named{"ir_version", &M::ir_version},
               Named{"graph", &M::graph}, Named{"opset_import", &M::opset_import},
               Named{"functions", &M::functions});
}

TEST_CASE("each member of a value has the number and the type of its field in libonnx") {
  using S = SequenceProto;
  check_fields(::onnx::SequenceProto::descriptor(), Named{"name", &S::name},
               Named{"elem_type", &S::elem_type}, Named{"tensor_values", &S::tensor_values},
               Named{"sparse_tensor_values", &S::sparse_tensor_values},
               Named{"sequence_values", &S::sequence_values}, Named{"map_values", &S::map_values},
               Named{"optional_values", &S::optional_values});
  using O = OptionalProto;
  check_fields(::onnx::OptionalProto::descriptor(), Named{"name", &O::name},
               Named{"elem_type", &O::elem_type}, Named{"tensor_value", &O::tensor_value},
               Named{"sparse_tensor_value", &O::sparse_tensor_value},
               Named{"sequence_value", &O::sequence_value}, Named{"map_value", &O::map_value},
               Named{"optional_value", &O::optional_value});
  CHECK(kTensorContent == ::onnx::SequenceProto::TENSOR);
  CHECK(kSequenceContent == ::onnx::SequenceProto::SEQUENCE);
  CHECK(kOptionalContent == ::onnx::SequenceProto::OPTIONAL);
}

}  // namespace strata::testing
