#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strata/core/datum_type.h"
#include "strata/core/dim.h"
#include "strata/core/small_vector.h"

namespace strata {

/// Sizes of a tensor's axes, outermost first; no allocation up to rank 6.
using Shape = SmallVector<std::int64_t, 6>;

/// The product of the dims. Throws: invalid_model when a dim is negative or the product leaves
/// int64.
std::int64_t element_count(std::span<const std::int64_t> shape);
/// How many elements apart neighbours along each axis are in a row-major tensor.
Shape row_major_strides(std::span<const std::int64_t> shape);

namespace detail {
struct Storage;
struct TensorParts;
void require_type(DatumType actual, DatumType wanted);
}  // namespace detail

class MutableTensor;

/// An immutable n-dimensional array: a cheap handle onto shared storage.
///
/// Contiguous and row-major; data made by Strata is 64-byte aligned. Reshaping and slicing the
/// leading axis make views. Storage may be owned, a mapped file or the caller's memory, or be made
/// when it is first read. Packed types (i4, u2, …) keep several elements in a byte. The default
/// tensor is f32 of shape [0].
class Tensor {
 public:
  Tensor();
  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;
  /// A moved-from tensor is the default one.
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() = default;

  /// Copies `values`, in row-major order. Throws: invalid_argument when they are not as many as the
  /// shape says; limit.
  template <class T>
  static Tensor of(Shape shape, std::span<const T> values);
  template <class T>
  static Tensor of(Shape shape, std::initializer_list<T> values) {
    return of<T>(std::move(shape), std::span<const T>(values.begin(), values.size()));
  }
  /// Of shape [].
  template <class T>
  static Tensor scalar(T value) {
    return of<T>(Shape{}, std::span<const T>(&value, 1));
  }
  /// Of shape [n].
  template <class T>
  static Tensor vector(std::span<const T> values) {
    return of<T>(Shape{static_cast<std::int64_t>(values.size())}, values);
  }
  /// A tensor over memory owned by somebody else, of the size that `bytes()` has, which must not
  /// change; `keep_alive` is released with the last handle. Memory that is not aligned for the type
  /// is copied when its elements are first read, and bools that are not 0 or 1 are copied at once.
  /// Throws: invalid_argument for null, string or dim.
  static Tensor borrowed(DatumType type, Shape shape, const std::byte* data,
                         std::shared_ptr<const void> keep_alive);

  DatumType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::size_t rank() const { return shape_.size(); }
  /// Elements, not bytes.
  std::int64_t size() const { return size_; }
  std::size_t byte_size() const;

  /// The elements. Throws: internal when T is not the element type.
  template <class T>
  std::span<const T> as() const {
    detail::require_type(dtype_, datum_type_of<T>);
    return storage_as<T>();
  }
  /// The elements as T, another type of the same width: for ops that only move them.
  template <class T>
  std::span<const T> storage_as() const {
    return {reinterpret_cast<const T*>(data()), static_cast<std::size_t>(size_)};
  }
  /// The stored bytes, packed types included. Not for string or dim.
  std::span<const std::byte> bytes() const { return {data(), byte_size()}; }
  /// Never null.
  const std::byte* data() const {
    if (!data_) [[unlikely]]
      return computed_data();
    return data_;
  }

  /// The one element of a tensor of size 1. Throws: run_time for another size, internal when T is
  /// not the element type.
  template <class T>
  T item() const {
    check_data(size_ == 1, "one element wanted, shape ", std::span<const std::int64_t>(shape_),
               " given");
    return as<T>()[0];
  }

  /// The same elements under another shape. Throws: run_time when it has another size.
  Tensor reshaped(Shape shape) const;
  /// Rows [begin, end) of the leading axis, a view where the bytes allow it (always, unless the
  /// type is packed). Throws: run_time when there are no such rows.
  Tensor rows(std::int64_t begin, std::int64_t end) const;
  /// The same bytes under another type. Throws: internal when that is not as wide, or holds
  /// objects; run_time for bools that are not 0 or 1.
  Tensor reinterpreted(DatumType type) const;

  /// Same type, same shape, same bits.
  bool operator==(const Tensor& other) const;
  std::size_t hash() const;
  /// Type, shape and the first few elements: `f32[2,3] 1.0, 2.0, …`.
  std::string to_string() const;

  /// Whether this is the only handle onto its storage.
  bool sole_owner() const;
  bool shares_storage_with(const Tensor& other) const { return storage_ == other.storage_; }

 private:
  friend class MutableTensor;
  friend struct detail::TensorParts;
  Tensor(std::shared_ptr<detail::Storage> storage, std::byte* data, DatumType type, Shape shape);
  const std::byte* computed_data() const;

  std::shared_ptr<detail::Storage> storage_;
  std::byte* data_ = nullptr;  ///< null where the storage is made when first read
  std::int64_t size_ = 0;
  DatumType dtype_ = DatumType::f32;
  Shape shape_;
};

/// A tensor being written: the only handle onto its memory. `freeze` turns it into a Tensor, and
/// leaves none.
class MutableTensor {
 public:
  /// Elements are not initialised (strings are empty, dims are 0, packed types are zeroed).
  /// Throws: limit when the memory scope refuses the bytes; invalid_model when the size overflows.
  MutableTensor(DatumType type, Shape shape);
  MutableTensor(MutableTensor&&) noexcept = default;
  MutableTensor& operator=(MutableTensor&&) noexcept = default;

  static MutableTensor zeros(DatumType type, Shape shape);
  static MutableTensor copy_of(const Tensor& tensor);
  /// Takes over the memory if `tensor` is its only handle and Strata allocated it; otherwise copies
  /// it.
  static MutableTensor take(Tensor&& tensor);

  DatumType dtype() const { return tensor_.dtype(); }
  const Shape& shape() const { return tensor_.shape(); }
  std::int64_t size() const { return tensor_.size(); }
  template <class T>
  std::span<T> as() {
    detail::require_type(dtype(), datum_type_of<T>);
    return storage_as<T>();
  }
  template <class T>
  std::span<T> storage_as() {
    return {reinterpret_cast<T*>(tensor_.data_), static_cast<std::size_t>(size())};
  }
  std::span<std::byte> bytes() { return {tensor_.data_, tensor_.byte_size()}; }
  std::byte* data() { return tensor_.data_; }

  Tensor freeze() && { return std::move(tensor_); }

 private:
  explicit MutableTensor(Tensor tensor) : tensor_(std::move(tensor)) {}
  Tensor tensor_;
};

template <class T>
Tensor Tensor::of(Shape shape, std::span<const T> values) {
  MutableTensor out(datum_type_of<T>, std::move(shape));
  require(out.size() == static_cast<std::int64_t>(values.size()), ErrorKind::invalid_argument,
          values.size(), " values for shape ", std::span<const std::int64_t>(out.shape()));
  std::copy(values.begin(), values.end(), out.as<T>().begin());
  return std::move(out).freeze();
}

/// One byte per element (i8 for signed, u8 for unsigned and f4e2m1 bits) from a packed tensor;
/// others unchanged.
Tensor unpacked(const Tensor& packed);
/// The inverse of `unpacked`: takes the low bits of each byte.
Tensor packed(const Tensor& bytes, DatumType type);

/// Each element converted as ONNX Cast does: floats to integers by truncation, anything to bool by
/// != 0, numbers to and from strings in decimal, complex numbers to others by their real part.
/// Integers beyond the type wrap. Floats beyond an integer type become its nearer end, or wrap if
/// it is narrower than a byte; NaN becomes 0. `overflow` is for the 8-bit floats, `rounding` for
/// f8e8m0. Throws: run_time when a string is not a number.
Tensor cast(const Tensor& tensor, DatumType type, Overflow overflow = Overflow::saturate,
            FloatRounding rounding = FloatRounding::nearest_even);
/// The elements of an integer (or bool, or concrete dim) tensor. Throws: run_time for other types.
Shape to_integers(const Tensor& tensor);
/// The elements of an integer or dim tensor as Dims.
std::vector<Dim> to_dims(const Tensor& tensor);
/// A vector: i64 when all dims are integers, dim otherwise.
Tensor dims_tensor(std::span<const Dim> dims);
/// The element at `index` of any real numeric or bool type, as a double.
double number_at(const Tensor& tensor, std::int64_t index);

}  // namespace strata
