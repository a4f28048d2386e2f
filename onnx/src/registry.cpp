#include "strata/onnx/registry.h"

#include <algorithm>
#include <array>
#include <limits>

#include "strata/core/error.h"

namespace strata::onnx {
namespace {

/// By TensorProto.DataType, from 1.
constexpr std::array kTypes = {
    DatumType::f32,      DatumType::u8,         DatumType::i8,     DatumType::u16,
    DatumType::i16,      DatumType::i32,        DatumType::i64,    DatumType::string,
    DatumType::boolean,  DatumType::f16,        DatumType::f64,    DatumType::u32,
    DatumType::u64,      DatumType::c64,        DatumType::c128,   DatumType::bf16,
    DatumType::f8e4m3fn, DatumType::f8e4m3fnuz, DatumType::f8e5m2, DatumType::f8e5m2fnuz,
    DatumType::u4,       DatumType::i4,         DatumType::f4e2m1, DatumType::f8e8m0,
    DatumType::u2,       DatumType::i2,
};

template <class T>
T required(std::optional<T> value, std::string_view name) {
  check(value.has_value(), "attribute ", in_quotes(name), " is missing");
  return *std::move(value);
}

std::string inputs_text(std::size_t least, std::size_t most) {
  if (most == std::numeric_limits<std::size_t>::max())
    return cat("at least ", counted(least, "input"));
  return cat(most == least ? "" : cat(least, " to "), counted(most, "input"));
}

}  // namespace

std::optional<DatumType> datum_type_of_onnx(int data_type) {
  if (data_type < 1 || data_type > static_cast<int>(kTypes.size())) return std::nullopt;
  return kTypes[static_cast<std::size_t>(data_type) - 1];
}

int onnx_data_type(DatumType type) {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i] == type) return static_cast<int>(i) + 1;
  fail(ErrorKind::internal, "ONNX has no type ", type);
}

bool NodeArgs::flag(std::string_view name, bool otherwise) {
  const auto value = integer(name);
  if (!value) return otherwise;
  check(*value == 0 || *value == 1, "attribute ", in_quotes(name), " is ", *value,
        ", neither 0 nor 1");
  return *value == 1;
}

std::optional<DatumType> NodeArgs::dtype(std::string_view name) {
  const auto number = integer(name);
  if (!number) return std::nullopt;
  const bool in_range = *number >= 0 && *number <= std::numeric_limits<int>::max();
  const auto type = in_range ? datum_type_of_onnx(static_cast<int>(*number)) : std::nullopt;
  check(type.has_value(), "attribute ", in_quotes(name), " is ", *number, ", no ONNX data type");
  return type;
}

std::int64_t NodeArgs::required_integer(std::string_view name) {
  return required(integer(name), name);
}
double NodeArgs::required_number(std::string_view name) { return required(number(name), name); }
std::string NodeArgs::required_text(std::string_view name) { return required(text(name), name); }
DatumType NodeArgs::required_dtype(std::string_view name) { return required(dtype(name), name); }
Shape NodeArgs::required_integers(std::string_view name) { return required(integers(name), name); }
std::vector<float> NodeArgs::required_numbers(std::string_view name) {
  return required(numbers(name), name);
}
Tensor NodeArgs::required_tensor(std::string_view name) { return required(tensor(name), name); }
Subgraph NodeArgs::required_graph(std::string_view name) { return required(graph(name), name); }

void NodeArgs::expect_inputs(std::size_t least, std::size_t most,
                             std::initializer_list<std::size_t> optional) const {
  const std::size_t given = input_count();
  if (given < least || given > most)
    fail(ErrorKind::invalid_model, op_type(), " takes ", inputs_text(least, most), ", ", given,
         " given");
  for (std::size_t i = 0; i < least; ++i) {
    const bool may_lack = std::find(optional.begin(), optional.end(), i) != optional.end();
    check(may_lack || has_input(i), "input ", i, " of ", op_type(), " is left out");
  }
}

void Registry::add_to(std::string_view domain, std::string_view name,
                      std::initializer_list<int> versions, ParseOp parse) {
  require(parse != nullptr, ErrorKind::invalid_argument, "op ", in_quotes(name),
          " is given nothing that parses it");
  const auto added = entries_.emplace(Key(domain, name), Entry{std::vector<int>(versions), parse});
  require(added.second, ErrorKind::internal, "op ", in_quotes(name), " is registered twice");
}

const Registry::Entry* Registry::find(std::string_view domain, std::string_view name) const {
  const auto found = entries_.find(Key(domain, name));
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<std::string> Registry::names(std::string_view domain) const {
  std::vector<std::string> out;
  for (const auto& [key, entry] : entries_)
    if (key.first == domain) out.push_back(key.second);
  return out;
}

}  // namespace strata::onnx
