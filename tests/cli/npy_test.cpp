#include "npy.h"

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace strata::cli {
namespace {

/// An npy file of version 1.0 whose header is `dict`, not padded.
std::string npy(const std::string& dict, const std::string& data) {
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\0';
  out += static_cast<char>(dict.size());
  out += '\0';
  return out + dict + data;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                const std::string& fortran = "False") {
  return npy(
      cat("{'descr': '", descr, "', 'fortran_order': ", fortran, ", 'shape': ", shape, ", }"),
      data);
}

Tensor read(const std::string& file) { return read_npy(std::as_bytes(std::span(file)), "x.npy"); }

/// What reading `file` throws, which must be of kind file.
std::string refusal(const std::string& file) {
  try {
    read(file);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::file);
    return error.message();
  }
  return "no error";
}

template <class T>
std::string bytes_of(std::vector<T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

using namespace std::string_literals;

}  // namespace

TEST_CASE("numbers of each numpy type are read") {
  CHECK(read(npy("<f4", "(2, 1)", bytes_of<float>({1, -2}))) ==
        Tensor::of<float>(Shape{2, 1}, {1, -2}));
  CHECK(read(npy("<i8", "()", bytes_of<std::int64_t>({-7}))) == Tensor::scalar<std::int64_t>(-7));
  CHECK(read(npy("|u1", "(2,)", "\x01\xff")) == Tensor::of<std::uint8_t>(Shape{2}, {1, 255}));
  CHECK(read(npy("<f2", "(1,)", "\x00\x3c"s)) == Tensor::of<f16>(Shape{1}, {f16(1.0F)}));
  CHECK(read(npy("<V2", "(1,)", "\x80\x3f")) == Tensor::of<bf16>(Shape{1}, {bf16(1.0F)}));
  CHECK(read(npy("|b1", "(3,)", "\x00\x01\x02"s)) ==
        Tensor::of<bool>(Shape{3}, {false, true, true}));
  CHECK(read(npy("<c8", "(1,)", bytes_of<float>({1, 2}))) ==
        Tensor::of<std::complex<float>>(Shape{1}, {{1, 2}}));
  CHECK(read(npy("<f4", "(0, 3)", "")).shape() == Shape{0, 3});
}

TEST_CASE("big-endian numbers are swapped, the halves of complex ones each") {
  CHECK(read(npy(">i2", "(2,)", "\x01\x02\x00\x03"s)) ==
        Tensor::of<std::int16_t>(Shape{2}, {0x102, 3}));
  CHECK(read(npy(">c8", "(1,)", "\x3f\x80\x00\x00\x40\x00\x00\x00"s)) ==
        Tensor::of<std::complex<float>>(Shape{1}, {{1, 2}}));
}

TEST_CASE("an array in Fortran order becomes row-major") {
  CHECK(read(npy("|u1", "(2, 3)", "\x01\x04\x02\x05\x03\x06", "True")) ==
        Tensor::of<std::uint8_t>(Shape{2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(read(npy("|u1", "(1, 2, 2)", "\x01\x03\x02\x04", "True")) ==
        Tensor::of<std::uint8_t>(Shape{1, 2, 2}, {1, 2, 3, 4}));
}

TEST_CASE("strings lose their padding only") {
  CHECK(read(npy("|S3", "(2,)", "ab\0a\0b"s)) ==
        Tensor::of<std::string>(Shape{2}, {"ab", "a\0b"s}));
  CHECK(read(npy("<U2", "(1,)", "\xe9\0\0\0\0\0\0\0"s)) ==
        Tensor::of<std::string>(Shape{1}, {"é"}));
  CHECK(read(npy(">U1", "(1,)", "\0\x01\xf6\x00"s)) == Tensor::of<std::string>(Shape{1}, {"😀"}));
}

TEST_CASE("headers of later versions and of Python 2 are read") {
  const std::string dict = "{\"shape\": (2L,), 'fortran_order': False, 'descr': '|u1'}";
  CHECK(read(npy(dict, "ab")).size() == 2);
  std::string version2 = "\x93NUMPY\x02"s + '\0' + static_cast<char>(dict.size()) + "\0\0\0"s;
  CHECK(read(version2 + dict + "ab").size() == 2);
}

TEST_CASE("a damaged file is refused with a reason") {
  const std::string place = "\"x.npy\" is no npy file Strata can read: ";
  CHECK(refusal("") == place + "it does not begin as one");
  CHECK(refusal("\x93NUMPY\x01") == place + "it ends within its header");
  CHECK(refusal("\x93NUMPY\x09\x00\x10\x00\x00\x00"s) == place + "version 9 is not known");
  CHECK(refusal("\x93NUMPY\x01\x00\xff\x00{}"s) == place + "it ends within its header");
  CHECK(refusal("\x93NUMPY\x02\x00\xff\xff\xff\xff"s) ==
        place + "a header of 4294967295 bytes is too long");
  CHECK(refusal(npy("{}", "")) == place + "its header lacks one of descr, fortran_order, shape");
  CHECK(refusal(npy("{'descr': '<f4'", "")) == place + "no '}' at \"\"");
  CHECK(refusal(npy("{'descr': [('a', '<f4')]}", "")) ==
        place + "no string at \"[('a', '<f4')]}\"");
  CHECK(refusal(npy("{'other': 1}", "")) == place + "its header has \"other\" where it should not");
  CHECK(refusal(npy("<f4", "(-1,)", "")) == place + "no dim at \"-1,), }\"");
  CHECK(refusal(npy("zz", "()", "")) == place + "type \"zz\" is not known");
}

TEST_CASE("types and sizes that make no tensor are refused") {
  CHECK(refusal(npy("|O8", "(1,)", "12345678")) ==
        "\"x.npy\" holds elements of numpy type O8, which Strata has no type for");
  CHECK(refusal(npy("<f4", "(2,)", "1234")) ==
        "\"x.npy\" holds 4 bytes of data, not shape [2] of elements of 4 bytes");
  CHECK(
      refusal(npy("<f4", "(4611686018427387904, 4)", "")) ==
      "\"x.npy\" holds 0 bytes of data, not shape [4611686018427387904,4] of elements of 4 bytes");
  CHECK(refusal(npy("|S0", "(9,)", "")) == "\"x.npy\" has elements of 0 bytes");
  CHECK(refusal(npy("<U1", "(1,)", "\x00\xd8\x00\x00"s)) ==
        "\"x.npy\" has a string with 55296, which is no Unicode character");
}

TEST_CASE("written files begin as numpy writes them") {
  const std::string file = write_npy(Tensor::of<std::int16_t>(Shape{2, 2}, {1, 2, 3, 4}));
  CHECK(file.size() == 136);
  CHECK(file.substr(0, 10) == "\x93NUMPY\x01\x00\x76\x00"s);
  CHECK(file.substr(10, 59) == "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }");
  CHECK(file[127] == '\n');
  CHECK(file.substr(128) == "\x01\0\x02\0\x03\0\x04\0"s);
}

TEST_CASE("types are written under the names that numpy has for them") {
  using enum DatumType;
  constexpr std::pair<DatumType, std::string_view> kNames[] = {
      {boolean, "|b1"}, {u8, "|u1"},     {u16, "<u2"},    {u32, "<u4"},   {u64, "<u8"},
      {i8, "|i1"},      {i16, "<i2"},    {i32, "<i4"},    {i64, "<i8"},   {f16, "<f2"},
      {f32, "<f4"},     {f64, "<f8"},    {c64, "<c8"},    {c128, "<c16"}, {bf16, "<V2"},
      {f8e5m2, "|V1"},  {f8e8m0, "|V1"}, {f4e2m1, "|V1"}, {i4, "|i1"},    {u2, "|u1"},
  };
  for (const auto& [type, name] : kNames) {
    CAPTURE(name);
    const std::string file = write_npy(MutableTensor::zeros(type, Shape{1}).freeze());
    CHECK(file.substr(10).starts_with(cat("{'descr': '", name, "', ")));
  }
}

TEST_CASE("what is written reads back") {
  const Tensor tensors[] = {
      Tensor::of<float>(Shape{1, 3}, {1, std::numeric_limits<float>::quiet_NaN(), -0.0F}),
      Tensor::scalar<bool>(true),
      Tensor::of<bf16>(Shape{2}, {bf16(1.0F), bf16(-2.0F)}),
      Tensor::of<std::complex<double>>(Shape{1}, {{1, -1}}),
      Tensor::of<std::string>(Shape{3}, {"", "é", "abc"}),
      Tensor::of<std::string>(Shape{2}, {"\xff\xfe", "a"}),
      Tensor::of<std::string>(Shape{0}, {}),
      Tensor::of<std::int64_t>(Shape{2, 0}, {}),
  };
  for (const Tensor& tensor : tensors) {
    CAPTURE(tensor.to_string());
    CHECK(read(write_npy(tensor)) == tensor);
  }
}

TEST_CASE("types numpy lacks are restored to what they were") {
  const Tensor numbers = Tensor::of<float>(Shape{3}, {1, -2, 0.5F});
  for (const DatumType type : {DatumType::f8e4m3fn, DatumType::f8e5m2fnuz, DatumType::f4e2m1,
                               DatumType::i4, DatumType::u2, DatumType::bf16}) {
    CAPTURE(to_string(type));
    const Tensor tensor = cast(numbers, type);
    CHECK(restored(read(write_npy(tensor)), type) == tensor);
  }
  CHECK_THROWS_WITH_AS(restored(numbers, DatumType::i64),
                       "an array of type f32 is given where i64 is wanted", Error);
  CHECK_THROWS_WITH_AS(restored(Tensor::scalar<std::int8_t>(8), DatumType::i4),
                       "bytes of type i8 hold values beyond type i4", Error);
}

TEST_CASE("a string that ends in NUL is not written") {
  CHECK_THROWS_WITH_AS(write_npy(Tensor::scalar<std::string>("a\0"s)),
                       "the string \"a\\x00\" ends in NUL, which npy cannot hold", Error);
}

}  // namespace strata::cli
