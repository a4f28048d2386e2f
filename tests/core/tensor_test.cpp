#include "strata/core/tensor.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <thread>

#include "support/failure.h"

namespace strata {
namespace {

using tests::kind_of_failure;

Tensor counting(Shape shape) {
  MutableTensor out(DatumType::i32, std::move(shape));
  std::int32_t next = 0;
  for (auto& element : out.as<std::int32_t>()) element = next++;
  return std::move(out).freeze();
}

Tensor u4_vector(std::initializer_list<std::uint8_t> values) {
  return packed(Tensor::of<std::uint8_t>(Shape{static_cast<std::int64_t>(values.size())}, values),
                DatumType::u4);
}

constexpr std::int64_t kHuge = std::int64_t{1} << 40;

}  // namespace

TEST_CASE("element counts are exact or refused") {
  CHECK(element_count(Shape{}) == 1);
  CHECK(element_count(Shape{2, 3}) == 6);
  CHECK_THROWS_WITH_AS(element_count(Shape{2, -1}), "shape [2,-1] has a negative dim", Error);
  CHECK(element_count(Shape{1 << 20, 0, 7}) == 0);
  CHECK_THROWS_WITH_AS(element_count(Shape{std::int64_t{1} << 62, 0}),
                       doctest::Contains("has no elements, and axes longer than"), Error);
  CHECK_THROWS_WITH_AS(element_count(Shape{0, std::int64_t{1} << 62, 4}),
                       doctest::Contains("more elements than int64 can count"), Error);
  CHECK(kind_of_failure([] { element_count(Shape{kHuge, kHuge}); }) == ErrorKind::invalid_model);
}

TEST_CASE("a size in bytes that overflows is refused") {
  const Shape shape{std::int64_t{1} << 62};
  CHECK(kind_of_failure([&] { MutableTensor(DatumType::f64, shape); }) == ErrorKind::invalid_model);
}

TEST_CASE("row-major strides are products of the sizes behind") {
  CHECK(row_major_strides(Shape{2, 3, 4}) == Shape{12, 4, 1});
  CHECK(row_major_strides(Shape{}) == Shape{});
}

TEST_CASE("the default tensor is f32 of shape [0]") {
  const Tensor tensor;
  CHECK(tensor.dtype() == DatumType::f32);
  CHECK(tensor.shape() == Shape{0});
  CHECK(tensor.byte_size() == 0);
  CHECK(tensor == Tensor::of<float>(Shape{0}, {}));
  CHECK(tensor.hash() == Tensor::of<float>(Shape{0}, {}).hash());
}

TEST_CASE("memory of ours is 64-byte aligned") {
  for (int i = 1; i < 200; i += 7) {
    const auto address =
        reinterpret_cast<std::uintptr_t>(MutableTensor(DatumType::u8, Shape{i}).data());
    CHECK(address % 64 == 0);
  }
}

TEST_CASE("reading elements as another type is refused") {
  CHECK(kind_of_failure([] { (void)counting(Shape{2}).as<float>(); }) == ErrorKind::internal);
  CHECK_THROWS_WITH_AS((void)counting(Shape{2}).item<std::int32_t>(),
                       doctest::Contains("one element wanted, shape [2] given"), Error);
}

TEST_CASE("packed types take a ceiling of their bits") {
  CHECK(MutableTensor(DatumType::i4, Shape{3}).bytes().size() == 2);
  CHECK(MutableTensor(DatumType::u2, Shape{5}).bytes().size() == 2);
  CHECK(MutableTensor(DatumType::u2, Shape{4}).bytes().size() == 1);
}

TEST_CASE("the first element of a packed type lies in the lowest bits") {
  const Tensor bytes = Tensor::vector<std::int8_t>(std::array<std::int8_t, 3>{-8, 7, -1});
  const Tensor tensor = packed(bytes, DatumType::i4);
  CHECK(tensor.bytes()[0] == std::byte{0x78});
  CHECK(tensor.bytes()[1] == std::byte{0x0f});
  CHECK(unpacked(tensor) == bytes);
  const Tensor twos = Tensor::vector<std::int8_t>(std::array<std::int8_t, 5>{0, 1, -2, -1, 1});
  CHECK(packed(twos, DatumType::i2).bytes()[0] == std::byte{0b11100100});
  CHECK(unpacked(packed(twos, DatumType::i2)) == twos);
}

TEST_CASE("reshapes and rows are views") {
  const Tensor tensor = counting(Shape{4, 3});
  const Tensor flat = tensor.reshaped(Shape{12});
  const Tensor rows = tensor.rows(1, 3);
  CHECK(flat.data() == tensor.data());
  CHECK(rows.shares_storage_with(tensor));
  CHECK(rows == Tensor::of<std::int32_t>(Shape{2, 3}, {3, 4, 5, 6, 7, 8}));
  CHECK(tensor.rows(2, 2).shape() == Shape{0, 3});
  CHECK_THROWS_WITH_AS(tensor.reshaped(Shape{5}), "shape [4,3] does not reshape to [5]", Error);
  CHECK_THROWS_WITH_AS(tensor.rows(3, 5), "rows [3,5) are not within shape [4,3]", Error);
  CHECK_THROWS_WITH_AS(Tensor::scalar<float>(1).rows(0, 0),
                       doctest::Contains("a scalar has no rows"), Error);
}

TEST_CASE("rows of a packed tensor are a view only where bytes allow it") {
  const Tensor tensor = u4_vector({1, 2, 3, 4, 5});
  CHECK(tensor.rows(2, 5).shares_storage_with(tensor));
  CHECK(tensor.rows(2, 5) == u4_vector({3, 4, 5}));
  CHECK_FALSE(tensor.rows(1, 3).shares_storage_with(tensor));
  CHECK(tensor.rows(1, 3) == u4_vector({2, 3}));
  CHECK(tensor.rows(0, 3) == u4_vector({1, 2, 3}));
  CHECK(tensor.rows(0, 3).bytes()[1] == std::byte{3});
}

TEST_CASE("tensors are equal bit by bit: NaN equals itself, zeros of two signs differ") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(Tensor::scalar(nan) == Tensor::scalar(nan));
  CHECK_FALSE(Tensor::scalar(0.0F) == Tensor::scalar(-0.0F));
  CHECK_FALSE(Tensor::scalar(1.0F) == Tensor::of<float>(Shape{1}, {1.0F}));
  CHECK_FALSE(Tensor::of<std::uint8_t>(Shape{1}, {1}) == Tensor::of<std::int8_t>(Shape{1}, {1}));
}

TEST_CASE("bytes have hashes of their own that std::hash would give the same one") {
  // The word changes its state in the highest bit alone, which the same word behind takes back.
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995ULL;
  std::uint64_t inverse = kFactor;
  for (int round = 0; round < 5; ++round) inverse *= 2 - kFactor * inverse;
  const auto word = static_cast<std::int64_t>(((1ULL << 63) + (1ULL << 16)) * inverse);
  constexpr std::size_t kPairs = 8;
  std::set<std::size_t> hashes;
  for (std::size_t chosen = 0; chosen < std::size_t{1} << kPairs; ++chosen) {
    std::array<std::int64_t, 2 * kPairs> words{};
    for (std::size_t pair = 0; pair < kPairs; ++pair)
      if (chosen >> pair & 1) words[2 * pair] = words[2 * pair + 1] = word;
    hashes.insert(Tensor::vector<std::int64_t>(words).hash());
  }
  CHECK(hashes.size() == std::size_t{1} << kPairs);
}

TEST_CASE("padding bits of a packed tensor matter neither to equality nor to hash") {
  MutableTensor padded(DatumType::u4, Shape{1});
  padded.bytes()[0] = std::byte{0xf3};
  const Tensor tensor = std::move(padded).freeze();
  CHECK(tensor == u4_vector({3}));
  CHECK(tensor.hash() == u4_vector({3}).hash());
  CHECK_FALSE(tensor == u4_vector({4}));
}

TEST_CASE("equal tensors hash equal, whatever their storage") {
  const Tensor tensor = counting(Shape{4, 2});
  CHECK(tensor.rows(1, 2).hash() == Tensor::of<std::int32_t>(Shape{1, 2}, {2, 3}).hash());
  const Tensor words = Tensor::of<std::string>(Shape{2}, {"a", "b"});
  CHECK(words.hash() == MutableTensor::copy_of(words).freeze().hash());
  CHECK_FALSE(words.hash() == Tensor::of<std::string>(Shape{2}, {"b", "a"}).hash());
  const Dim n = Dim::symbol("N");
  CHECK(Tensor::scalar<Dim>(n + n).hash() == Tensor::scalar<Dim>(n * 2).hash());
}

TEST_CASE("take reuses memory of a sole owner and copies otherwise") {
  Tensor tensor = counting(Shape{3});
  const std::byte* const place = tensor.data();
  MutableTensor reused = MutableTensor::take(std::move(tensor));
  CHECK(reused.data() == place);
  tensor = std::move(reused).freeze();
  const Tensor other = tensor;
  MutableTensor copy = MutableTensor::take(std::move(tensor));
  copy.as<std::int32_t>()[0] = 9;
  CHECK(other == Tensor::of<std::int32_t>(Shape{3}, {0, 1, 2}));
}

TEST_CASE("a handle dropped on another thread makes this one the sole owner") {
  Tensor tensor = counting(Shape{3});
  std::thread([copy = tensor] { CHECK(copy.size() == 3); }).join();
  CHECK(tensor.sole_owner());
}

TEST_CASE("borrowed memory stays in place until the last handle goes") {
  alignas(64) static const std::array<std::int32_t, 2> memory{5, 6};
  auto keeper = std::make_shared<int>(0);
  const auto* bytes = reinterpret_cast<const std::byte*>(memory.data());
  Tensor tensor = Tensor::borrowed(DatumType::i32, Shape{2}, bytes, keeper);
  CHECK(tensor.data() == bytes);
  CHECK(keeper.use_count() == 2);
  CHECK(MutableTensor::take(std::move(tensor)).data() != bytes);
  tensor = Tensor();
  CHECK(keeper.use_count() == 1);
  CHECK(kind_of_failure([&] { Tensor::borrowed(DatumType::i32, Shape{1}, nullptr, nullptr); }) ==
        ErrorKind::invalid_argument);
  CHECK(kind_of_failure([&] { Tensor::borrowed(DatumType::string, Shape{1}, bytes, nullptr); }) ==
        ErrorKind::invalid_argument);
}

TEST_CASE("memory that is borrowed for a shape of no size is the caller's fault") {
  alignas(64) static const std::array<float, 2> memory{5, 6};
  const auto borrow = [](Shape shape) {
    return Tensor::borrowed(DatumType::f32, std::move(shape),
                            reinterpret_cast<const std::byte*>(memory.data()), nullptr);
  };
  CHECK_THROWS_WITH_AS(borrow({2, -1}), "shape [2,-1] has a negative dim", Error);
  for (const Shape& shape : {Shape{-1}, Shape{kHuge, kHuge}, Shape{std::int64_t{1} << 62}})
    CHECK(kind_of_failure([&] { borrow(shape); }) == ErrorKind::invalid_argument);
}

TEST_CASE("borrowed bools other than 0 and 1 are true") {
  const std::array<std::byte, 2> memory{std::byte{2}, std::byte{0}};
  const Tensor tensor = Tensor::borrowed(DatumType::boolean, Shape{2}, memory.data(), nullptr);
  CHECK(tensor == Tensor::of<bool>(Shape{2}, {true, false}));
}

TEST_CASE("reinterpreted keeps the bytes under a type of equal width") {
  const Tensor one = Tensor::scalar(1.0F);
  CHECK(one.reinterpreted(DatumType::i32).item<std::int32_t>() == 0x3f800000);
  CHECK(one.reinterpreted(DatumType::u32).shares_storage_with(one));
  CHECK_THROWS_WITH_AS(one.reinterpreted(DatumType::i64),
                       doctest::Contains("f32 are not as wide as i64"), Error);
  CHECK_THROWS_WITH_AS(Tensor::scalar<std::uint8_t>(2).reinterpreted(DatumType::boolean),
                       doctest::Contains("are no bools"), Error);
}

TEST_CASE("strings and dims start empty and are destroyed with the tensor") {
  MutableTensor words(DatumType::string, Shape{2});
  CHECK(words.as<std::string>()[1].empty());
  words.as<std::string>()[0] = std::string(1000, 'x');
  const Tensor tensor = std::move(words).freeze();
  CHECK(tensor.rows(0, 1).item<std::string>().size() == 1000);
  CHECK(MutableTensor(DatumType::dim, Shape{1}).as<Dim>()[0] == Dim(0));
}

TEST_CASE("to_string shows type, shape and the first elements") {
  CHECK(Tensor::of<float>(Shape{1, 2}, {1.0F, 0.5F}).to_string() == "f32[1,2] 1.0, 0.5");
  CHECK(counting(Shape{9}).to_string() == "i32[9] 0, 1, 2, …");
  CHECK(Tensor::scalar<bool>(true).to_string() == "bool[] true");
  CHECK(Tensor::of<std::string>(Shape{1}, {"a\n"}).to_string() == "string[1] \"a\\n\"");
  CHECK(Tensor().to_string() == "f32[0]");
  CHECK(u4_vector({15, 1, 2}).to_string() == "u4[3] 15, 1, 2");
  CHECK(Tensor::scalar<Dim>(Dim::symbol("N")).to_string() == "dim[] N");
  CHECK(Tensor::scalar<f16>(f16(0.1F)).to_string() == "f16[] 0.1");
}

TEST_CASE("integers and dims are read from tensors of several types") {
  CHECK(to_integers(Tensor::of<std::int32_t>(Shape{2}, {3, -4})) == Shape{3, -4});
  CHECK(to_integers(Tensor::scalar<Dim>(7)) == Shape{7});
  CHECK(to_integers(u4_vector({1, 15})) == Shape{1, 15});
  CHECK_THROWS_WITH_AS(to_integers(Tensor::scalar(1.0F)), "integers are wanted, type f32 is given",
                       Error);
  CHECK_THROWS_WITH_AS(to_integers(Tensor::scalar<Dim>(Dim::symbol("N"))),
                       "dim N is no integer yet", Error);
  CHECK_THROWS_WITH_AS(to_integers(Tensor::scalar<std::uint64_t>(std::uint64_t{1} << 63)),
                       doctest::Contains("does not fit in i64"), Error);
}

TEST_CASE("a vector of dims is i64 unless a symbol is in it") {
  const std::vector<Dim> integers{2, 3};
  CHECK(dims_tensor(integers) == Tensor::of<std::int64_t>(Shape{2}, {2, 3}));
  const std::vector<Dim> symbolic{2, Dim::symbol("N")};
  CHECK(dims_tensor(symbolic).dtype() == DatumType::dim);
  CHECK(to_dims(dims_tensor(symbolic)) == symbolic);
  CHECK(to_dims(dims_tensor(integers)) == integers);
}

TEST_CASE("number_at reads one element of any real type") {
  CHECK(number_at(u4_vector({1, 15, 3}), 1) == 15);
  CHECK(number_at(Tensor::scalar<bool>(true), 0) == 1);
  CHECK(number_at(Tensor::scalar<bf16>(bf16(-2.5F)), 0) == -2.5);
  CHECK(number_at(packed(Tensor::of<std::uint8_t>(Shape{2}, {0, 13}), DatumType::f4e2m1), 1) == -3);
  CHECK_THROWS_WITH_AS(number_at(Tensor::scalar<std::string>("1"), 0),
                       doctest::Contains("a real number is wanted"), Error);
  CHECK_THROWS_WITH_AS(number_at(Tensor::scalar(1.0F), 1),
                       doctest::Contains("element 1 of a tensor of 1"), Error);
}

TEST_CASE("a tensor that was moved from is the default one") {
  const std::vector<float> numbers{1, 2, 3};
  Tensor from = Tensor::of<float>(Shape{3}, numbers);
  Tensor to = std::move(from);
  CHECK(from == Tensor());
  CHECK(from.as<float>().empty());
  CHECK(to == Tensor::of<float>(Shape{3}, numbers));
  from = std::move(to);
  CHECK(to == Tensor());
  Tensor& same = from;
  from = std::move(same);
  CHECK(from == Tensor::of<float>(Shape{3}, numbers));
  MutableTensor made(DatumType::f32, Shape{2});
  const Tensor frozen = std::move(made).freeze();
  CHECK(frozen.size() == 2);
  CHECK(made.as<float>().empty());
}

}  // namespace strata
