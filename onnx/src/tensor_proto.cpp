#include "tensor_proto.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "strata/core/error.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {
namespace {

using Numbers = std::span<const std::int64_t>;

/// Raw data from this size on is left where it is; what is smaller is cheaper to copy.
constexpr std::size_t kLeastBorrowed = 4096;

Shape shape_of(Numbers dims) {
  for (const std::int64_t dim : dims) check(dim >= 0, "shape ", dims, " has a negative size");
  Shape shape(dims);
  element_count(shape);
  return shape;
}

DatumType type_of(const TensorProto& proto) {
  const auto type = datum_type_of_onnx(proto.data_type);
  check(type.has_value(), "data type ", proto.data_type, " is not one of ONNX");
  return *type;
}

std::size_t stored_bytes(DatumType type, const Shape& shape) {
  const __int128 bits = static_cast<__int128>(element_count(shape)) * bit_width(type);
  check(bits / 8 < INT64_MAX, "shape ", Numbers(shape), " of ", type, " overflows");
  return static_cast<std::size_t>((bits + 7) / 8);
}

/// Whether the bytes are valid elements as they are: a bool is 0 or 1, and bits past the last
/// packed element are 0.
bool is_canonical(DatumType type, std::int64_t count, std::span<const std::byte> bytes) {
  if (type == DatumType::boolean)
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b <= std::byte{1}; });
  const std::size_t used = static_cast<std::size_t>(count) * bit_width(type) % 8;
  return !is_packed(type) || used == 0 || (bytes.back() >> used) == std::byte{0};
}

Tensor copied(DatumType type, const Shape& shape, std::span<const std::byte> bytes) {
  MutableTensor out(type, shape);
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  if (type == DatumType::boolean)
    for (std::byte& b : out.bytes()) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
  const std::size_t used = static_cast<std::size_t>(out.size()) * bit_width(type) % 8;
  if (is_packed(type) && used != 0) out.bytes().back() &= static_cast<std::byte>((1u << used) - 1);
  return std::move(out).freeze();
}

Tensor of_bytes(DatumType type, const Shape& shape, std::span<const std::byte> bytes,
                std::shared_ptr<const void> keep_alive) {
  if (bytes.size() < kLeastBorrowed || !is_canonical(type, element_count(shape), bytes))
    return copied(type, shape, bytes);
  return Tensor::borrowed(type, shape, bytes.data(), std::move(keep_alive));
}

/// `proto`'s elements from a typed field with entries of type `From`, stored as `To`.
template <class To, class Field>
Tensor of_field(const Field& field, std::string_view name, DatumType type, const Shape& shape,
                std::int64_t entries) {
  check(std::cmp_equal(field.size(), entries), name, " has ", field.size(), " entries, ", type,
        Numbers(shape), " takes ", entries);
  MutableTensor out(type, shape);
  auto* to = reinterpret_cast<To*>(out.data());
  for (const auto& entry : field) *to++ = static_cast<To>(entry);
  return std::move(out).freeze();
}

/// Small types lie in int32_data: one element an entry, or one byte an entry for packed types.
Tensor of_int32_data(const TensorProto& proto, DatumType type, const Shape& shape) {
  const auto& field = proto.int32_data;
  const auto count = element_count(shape);
  if (bit_width(type) == 32) return of_field<std::int32_t>(field, "int32_data", type, shape, count);
  if (bit_width(type) == 16)
    return of_field<std::uint16_t>(field, "int32_data", type, shape, count);
  const auto bytes = static_cast<std::int64_t>(stored_bytes(type, shape));
  const Tensor loose = of_field<std::uint8_t>(field, "int32_data", type, shape, bytes);
  return copied(type, shape, loose.bytes());
}

Tensor of_typed_field(const TensorProto& proto, DatumType type, const Shape& shape) {
  const auto count = element_count(shape);
  check(count <= INT64_MAX / 2, "shape ", Numbers(shape), " overflows");
  switch (type) {
    case DatumType::f32:
      return of_field<float>(proto.float_data, "float_data", type, shape, count);
    case DatumType::c64:
      return of_field<float>(proto.float_data, "float_data", type, shape, 2 * count);
    case DatumType::f64:
      return of_field<double>(proto.double_data, "double_data", type, shape, count);
    case DatumType::c128:
      return of_field<double>(proto.double_data, "double_data", type, shape, 2 * count);
    case DatumType::i64:
      return of_field<std::int64_t>(proto.int64_data, "int64_data", type, shape, count);
    case DatumType::u64:
      return of_field<std::uint64_t>(proto.uint64_data, "uint64_data", type, shape, count);
    case DatumType::u32:
      return of_field<std::uint32_t>(proto.uint64_data, "uint64_data", type, shape, count);
    case DatumType::string:
      return of_field<std::string>(proto.string_data, "string_data", type, shape, count);
    default:
      return of_int32_data(proto, type, shape);
  }
}

/// The flat position of non-zero element `k`. `indices` is [n], flat already, or [n, rank].
std::int64_t flat_position(const Tensor& indices, const Shape& shape, std::int64_t k) {
  const auto all = indices.as<std::int64_t>();
  if (indices.rank() == 1) return all[static_cast<std::size_t>(k)];
  std::int64_t flat = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t i = all[static_cast<std::size_t>(k) * shape.size() + axis];
    check(i >= 0 && i < shape[axis], "index ", i, " of a sparse tensor is outside axis ", axis,
          " of shape ", Numbers(shape));
    flat = flat * shape[axis] + i;
  }
  return flat;
}

Tensor dense(const Tensor& values, const Tensor& indices, const Shape& shape) {
  MutableTensor out = MutableTensor::zeros(values.dtype(), shape);
  visit_storage(values.dtype(), [&]<class T>(TypeTag<T>) {
    const auto from = values.storage_as<T>();
    const auto to = out.storage_as<T>();
    for (std::int64_t k = 0; k < values.size(); ++k) {
      const std::int64_t flat = flat_position(indices, shape, k);
      check(flat >= 0 && flat < out.size(), "index ", flat, " of a sparse tensor is outside shape ",
            Numbers(shape));
      to[static_cast<std::size_t>(flat)] = from[static_cast<std::size_t>(k)];
    }
  });
  return std::move(out).freeze();
}

}  // namespace

Tensor TensorReader::read_elements(const TensorProto& proto) {
  const DatumType type = type_of(proto);
  const Shape shape = shape_of(proto.dims);
  require(!proto.segment, ErrorKind::unsupported, "tensors stored in segments are not supported");
  if (proto.data_location == TensorProto::kExternal) {
    check(type != DatumType::string, "strings cannot be external data");
    const ExternalBytes external = files_.read(proto, stored_bytes(type, shape));
    return of_bytes(type, shape, external.bytes, external.file);
  }
  if (!proto.raw_data) return of_typed_field(proto, type, shape);
  check(type != DatumType::string, "strings cannot be raw data");
  return of_raw_data(*proto.raw_data, type, shape);
}

Tensor TensorReader::of_raw_data(Text raw, DatumType type, const Shape& shape) const {
  const auto bytes = std::as_bytes(std::span(raw));
  const std::size_t wanted = stored_bytes(type, shape);
  check(raw.size() == wanted, "raw_data has ", raw.size(), " bytes, ", type, Numbers(shape),
        " takes ", wanted);
  if (raw.size() < kLeastBorrowed) return copied(type, shape, bytes);
  if (file_) return of_bytes(type, shape, bytes, std::make_shared<const FilePart>(file_, bytes));
  const auto copy = std::make_shared<const std::string>(raw);
  return of_bytes(type, shape, std::as_bytes(std::span(*copy)), copy);
}

Tensor TensorReader::read(const TensorProto& proto) {
  if (const auto found = large_.find(&proto); found != large_.end()) return found->second;
  try {
    Tensor tensor = read_elements(proto);
    if (tensor.byte_size() >= kLeastBorrowed) large_.emplace(&proto, tensor);
    return tensor;
  } catch (Error& error) {
    throw error.in(cat("tensor ", in_quotes(proto.name)));
  }
}

Tensor TensorReader::read(const SparseTensorProto& proto) {
  const Tensor values = read(proto.values);
  const Tensor indices = read(proto.indices);
  const Shape shape = shape_of(proto.dims);
  const std::int64_t n = values.size();
  check(values.rank() == 1, "values of a sparse tensor have rank ", values.rank(), ", not 1");
  check(indices.dtype() == DatumType::i64, "indices of a sparse tensor are ", indices.dtype(),
        ", not i64");
  const bool is_flat = indices.shape() == Shape{n};
  const bool is_by_axis = indices.shape() == Shape{n, static_cast<std::int64_t>(shape.size())};
  check(is_flat || is_by_axis, "indices of a sparse tensor have shape ", Numbers(indices.shape()),
        ", its ", n, " values and rank ", shape.size(), " want another");
  require(!is_packed(values.dtype()), ErrorKind::unsupported, "sparse tensors of ", values.dtype(),
          " are not supported");
  return dense(values, indices, shape);
}

}  // namespace strata::onnx
