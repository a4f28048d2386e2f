#include "strata/core/tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sole_owner.h"
#include "strata/core/hash_index.h"
#include "tensor_storage.h"

namespace strata {
namespace {

using detail::Storage;
using Kind = Storage::Kind;
using Sizes = std::span<const std::int64_t>;

/// The data of tensors of size 0 without storage, so that no data pointer is null.
alignas(64) std::byte nothing[64];

/// Bits of the last byte that hold elements; 0 when all do.
std::size_t tail_bits(DatumType type, std::int64_t count) {
  return is_packed(type) ? static_cast<std::size_t>(count % 8) * bit_width(type) % 8 : 0;
}

unsigned tail_of(std::byte last, std::size_t bits) {
  return std::to_integer<unsigned>(last) & ((1U << bits) - 1U);
}

std::size_t hash_bytes(std::span<const std::byte> bytes) {
  return name_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

bool has_only_bools(const std::byte* data, std::int64_t count) {
  return std::all_of(data, data + count, [](std::byte b) { return b <= std::byte{1}; });
}

/// The size of lent memory, in elements and in bytes. A shape that has none is the fault of the
/// caller who lends it.
std::pair<std::int64_t, std::size_t> lent_size(DatumType type, const Shape& shape) {
  try {
    const std::int64_t count = element_count(shape);
    return {count, detail::bytes_of(type, count)};
  } catch (Error& error) {
    if (error.kind() == ErrorKind::invalid_model) error.as(ErrorKind::invalid_argument);
    throw;
  }
}

template <class T>
void copy_objects(std::span<const T> from, std::span<T> to) {
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace

namespace detail {

void require_type(DatumType actual, DatumType wanted) {
  require(actual == wanted, ErrorKind::internal, "elements of type ", actual, " are read as ",
          wanted);
}

}  // namespace detail

std::int64_t element_count(Sizes shape) {
  // The greatest product of the other axes of a tensor without elements, since ops iterate over
  // them all the same.
  constexpr std::int64_t kMostPlaces = std::int64_t{1} << 28;
  std::int64_t count = 1;
  bool is_empty = false;
  for (const std::int64_t dim : shape) {
    check(dim >= 0, "shape ", shape, " has a negative dim");
    is_empty |= dim == 0;
    check(!__builtin_mul_overflow(count, std::max<std::int64_t>(dim, 1), &count), "shape ", shape,
          " has more elements than int64 can count");
  }
  require(!is_empty || count <= kMostPlaces, ErrorKind::limit, "shape ", shape,
          " has no elements, and axes longer than ", kMostPlaces);
  return is_empty ? 0 : count;
}

Shape row_major_strides(Sizes shape) {
  Shape strides(shape.size(), 1);
  std::uint64_t step = 1;  // wraps only where a dim is 0 and no stride is ever taken
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(step);
    step *= static_cast<std::uint64_t>(shape[axis]);
  }
  return strides;
}

Tensor::Tensor() : data_(nothing), shape_{0} {}

Tensor::Tensor(Tensor&& other) noexcept
    : storage_(std::move(other.storage_)),
      data_(std::exchange(other.data_, nothing)),
      size_(std::exchange(other.size_, 0)),
      dtype_(std::exchange(other.dtype_, DatumType::f32)),
      shape_(std::move(other.shape_)) {
  other.shape_.push_back(0);
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  storage_ = std::move(other.storage_);
  data_ = std::exchange(other.data_, nothing);
  size_ = std::exchange(other.size_, 0);
  dtype_ = std::exchange(other.dtype_, DatumType::f32);
  shape_ = std::move(other.shape_);
  other.shape_.push_back(0);
  return *this;
}

Tensor::Tensor(std::shared_ptr<Storage> storage, std::byte* data, DatumType type, Shape shape)
    : storage_(std::move(storage)),
      data_(data),
      size_(element_count(shape)),
      dtype_(type),
      shape_(std::move(shape)) {}

Tensor Tensor::borrowed(DatumType type, Shape shape, const std::byte* data,
                        std::shared_ptr<const void> keep_alive) {
  require(!detail::holds_objects(type), ErrorKind::invalid_argument, "memory of type ", type,
          " cannot be borrowed");
  const auto [count, byte_count] = lent_size(type, shape);
  if (count == 0) data = nothing;
  require(data != nullptr, ErrorKind::invalid_argument, "no memory is lent for ", type);
  if (type == DatumType::boolean && !has_only_bools(data, count)) {
    MutableTensor copy(type, std::move(shape));
    std::transform(data, data + count, copy.as<bool>().begin(),
                   [](std::byte b) { return b != std::byte{0}; });
    return std::move(copy).freeze();
  }
  auto storage = std::make_shared<Storage>();
  storage->data = const_cast<std::byte*>(data);
  storage->byte_count = byte_count;
  storage->keep_alive = std::move(keep_alive);
  if (reinterpret_cast<std::uintptr_t>(data) % detail::alignment_of(type) == 0) {
    std::byte* const start = storage->data;
    return Tensor(std::move(storage), start, type, std::move(shape));
  }
  storage->kind = Kind::deferred;
  storage->account = MemoryScope::current();
  storage->deferral = std::make_unique<detail::Deferral>();
  storage->deferral->unaligned = std::exchange(storage->data, nullptr);
  return Tensor(std::move(storage), nullptr, type, std::move(shape));
}

const std::byte* Tensor::computed_data() const {
  return storage_ ? detail::computed(*storage_) : nothing;
}

std::size_t Tensor::byte_size() const { return detail::bytes_of(dtype_, size_); }

Tensor Tensor::reshaped(Shape shape) const {
  check_data(element_count(shape) == size_, "shape ", Sizes(shape_), " does not reshape to ",
             Sizes(shape));
  Tensor view = *this;
  view.shape_ = std::move(shape);
  return view;
}

Tensor Tensor::rows(std::int64_t begin, std::int64_t end) const {
  check_data(rank() > 0, "a scalar has no rows");
  check_data(0 <= begin && begin <= end && end <= shape_[0], "rows [", begin, ",", end,
             ") are not within shape ", Sizes(shape_));
  if (end - begin == shape_[0]) return *this;  // which may still be deferred
  Shape shape = shape_;
  shape[0] = end - begin;
  const std::int64_t row = shape_[0] == 0 ? 0 : size_ / shape_[0];
  const std::int64_t first = begin * row, last = end * row;
  std::byte* const start = const_cast<std::byte*>(data());
  if (!is_packed(dtype_)) {
    return Tensor(storage_, start + detail::bytes_of(dtype_, first), dtype_, std::move(shape));
  }
  const std::int64_t per_byte = static_cast<std::int64_t>(8 / bit_width(dtype_));
  if (first % per_byte == 0 && (last % per_byte == 0 || last == size_)) {
    return Tensor(storage_, start + first / per_byte, dtype_, std::move(shape));
  }
  const Tensor bytes = unpacked(reshaped(Shape{size_})).rows(first, last);
  return packed(bytes.reshaped(std::move(shape)), dtype_);
}

Tensor Tensor::reinterpreted(DatumType type) const {
  if (type == dtype_) return *this;
  require(!detail::holds_objects(type) && bit_width(type) == bit_width(dtype_), ErrorKind::internal,
          "elements of type ", dtype_, " are not as wide as ", type);
  check_data(type != DatumType::boolean || has_only_bools(data(), size_), "bytes of type ", dtype_,
             " other than 0 and 1 are no bools");
  Tensor view = *this;
  view.dtype_ = type;
  return view;
}

bool Tensor::operator==(const Tensor& other) const {
  if (dtype_ != other.dtype_ || !(shape_ == other.shape_)) return false;
  if (size_ == 0 || (data_ == other.data_ && (data_ || storage_ == other.storage_))) return true;
  if (dtype_ == DatumType::string)
    return std::ranges::equal(as<std::string>(), other.as<std::string>());
  if (dtype_ == DatumType::dim) return std::ranges::equal(as<Dim>(), other.as<Dim>());
  if (has_same_recipe(*this, other)) return true;
  const std::size_t tail = tail_bits(dtype_, size_);
  const std::size_t whole = byte_size() - (tail ? 1 : 0);
  const StoredBytes own = stored_bytes(*this), others = stored_bytes(other);
  const std::byte *a = own.bytes.data(), *b = others.bytes.data();
  if (std::memcmp(a, b, whole) != 0) return false;
  return tail == 0 || tail_of(a[whole], tail) == tail_of(b[whole], tail);
}

std::size_t Tensor::hash() const {
  std::size_t seed = static_cast<std::size_t>(dtype_);
  for (const std::int64_t dim : shape_) seed = mixed_hash(seed, static_cast<std::size_t>(dim));
  if (dtype_ == DatumType::string) {
    for (const std::string& text : as<std::string>()) seed = mixed_hash(seed, name_hash(text));
    return seed;
  }
  if (dtype_ == DatumType::dim) {
    for (const Dim& dim : as<Dim>()) seed = mixed_hash(seed, dim.hash());
    return seed;
  }
  const std::size_t tail = tail_bits(dtype_, size_);
  const std::size_t whole = byte_size() - (tail ? 1 : 0);
  const StoredBytes own = stored_bytes(*this);
  seed = mixed_hash(seed, hash_bytes(own.bytes.first(whole)));
  return tail ? mixed_hash(seed, tail_of(own.bytes[whole], tail)) : seed;
}

bool Tensor::sole_owner() const { return detail::is_sole_owner(storage_); }

MutableTensor::MutableTensor(DatumType type, Shape shape) {
  const std::int64_t count = element_count(shape);
  auto storage = detail::allocate(Kind::owned, type, count, detail::bytes_of(type, count));
  std::byte* const data = storage->data;
  if (is_packed(type)) std::memset(data, 0, storage->byte_count);
  tensor_ = Tensor(std::move(storage), data, type, std::move(shape));
}

MutableTensor MutableTensor::zeros(DatumType type, Shape shape) {
  MutableTensor out(type, std::move(shape));
  if (!detail::holds_objects(type)) std::memset(out.data(), 0, out.bytes().size());
  return out;
}

MutableTensor MutableTensor::copy_of(const Tensor& tensor) {
  MutableTensor out(tensor.dtype(), tensor.shape());
  if (tensor.dtype() == DatumType::string) {
    copy_objects(tensor.as<std::string>(), out.as<std::string>());
  } else if (tensor.dtype() == DatumType::dim) {
    copy_objects(tensor.as<Dim>(), out.as<Dim>());
  } else {
    const StoredBytes stored = stored_bytes(tensor);
    std::memcpy(out.data(), stored.bytes.data(), stored.bytes.size());
  }
  return out;
}

MutableTensor MutableTensor::take(Tensor&& tensor) {
  if (tensor.sole_owner() && tensor.storage_->kind == Kind::owned) {
    return MutableTensor(std::move(tensor));
  }
  return copy_of(tensor);
}

}  // namespace strata
