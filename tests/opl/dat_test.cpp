#include "strata/opl/dat.h"

#include <doctest/doctest.h>

#include <complex>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "strata/core/error.h"
#include "strata/core/session.h"
#include "strata/core/text.h"
#include "strata/opl/model.h"

namespace strata::opl {
namespace {

std::span<const std::byte> bytes_of(const std::string& file) {
  return std::as_bytes(std::span(file));
}

void put(std::string& file, std::size_t at, std::uint32_t value, int width = 4) {
  for (int i = 0; i < width; ++i) file[at + i] = static_cast<char>(value >> (8 * i));
}

/// A file put together by hand from the table of the format.
std::string file_of(std::uint16_t vendor, std::uint16_t code, std::uint32_t bits,
                    const std::vector<std::uint32_t>& dims, std::string_view data) {
  std::string file(128, '\0');
  file[0] = 0x4E;
  file[1] = static_cast<char>(0xEF);
  file[2] = 1;
  put(file, 4, static_cast<std::uint32_t>(data.size()));
  put(file, 8, static_cast<std::uint32_t>(dims.size()));
  for (std::size_t i = 0; i < dims.size(); ++i) {
    put(file, i < 8 ? 12 + 4 * i : 84 + 4 * (i - 8), dims[i]);
  }
  put(file, 44, bits);
  put(file, 48, code, 2);
  put(file, 50, vendor, 2);
  return file + std::string(data);
}

Error error_of(const std::string& file) {
  try {
    read_dat(bytes_of(file), "w.dat");
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "no error");
}

Tensor raw_tensor(DatumType type, Shape shape) {
  MutableTensor tensor(type, std::move(shape));
  unsigned i = 1;
  for (std::byte& byte : tensor.bytes()) byte = static_cast<std::byte>(37 * i++);
  return std::move(tensor).freeze();
}

}  // namespace

TEST_CASE("files are written as the format says") {
  const std::string_view two_floats("\0\0\x80\x3f\0\0\x20\xc0", 8);  // 1.0, -2.5
  CHECK(write_dat(Tensor::of<float>({2, 1}, {1.0f, -2.5f})) ==
        file_of(0, 0, 32, {2, 1}, two_floats));
  CHECK(write_dat(Tensor::scalar<std::int64_t>(-2)) ==
        file_of(0, 3, 64, {}, std::string_view("\xfe\xff\xff\xff\xff\xff\xff\xff", 8)));
  CHECK(write_dat(Tensor::of<std::uint8_t>({3}, {1, 2, 255})) ==
        file_of(0, 2, 8, {3}, "\x01\x02\xff"));
  CHECK(write_dat(Tensor::of<bool>({2}, {true, false})) ==
        file_of(0, 5, 8, {2}, std::string_view("\x01\0", 2)));
  CHECK(write_dat(Tensor::of<std::string>({2}, {"ab", ""})) ==
        file_of(0x5452, 0x1000, 0xFFFFFFFF, {2}, std::string_view("\2\0\0\0ab\0\0\0\0", 10)));
}

TEST_CASE("every type and shape reads back to the bit") {
  for (std::size_t i = 0; i < kDatumTypeCount; ++i) {
    const DatumType type = static_cast<DatumType>(i);
    if (type == DatumType::string || type == DatumType::dim || type == DatumType::boolean) continue;
    CAPTURE(to_string(type));
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{3}, Shape{2, 3, 5}, Shape{2, 0, 4},
                               Shape{1, 1, 1, 1, 1, 1, 1, 1, 3, 2}}) {
      // all elements of the last byte in use, as padding bits of packed types are free
      const Tensor tensor = is_packed(type) && shape.size() == 3 ? raw_tensor(type, {2, 4, 4})
                            : is_packed(type)                    ? raw_tensor(type, {4})
                                                                 : raw_tensor(type, shape);
      const std::string file = write_dat(tensor);
      CHECK(read_dat(bytes_of(file), "w.dat") == tensor);
    }
  }
  const Tensor strings =
      Tensor::of<std::string>({2, 2}, {"", "a\nb", std::string("\0x", 2), "\xff"});
  CHECK(read_dat(bytes_of(write_dat(strings)), "w.dat") == strings);
  const Tensor bools = Tensor::of<bool>({3}, {true, false, true});
  CHECK(read_dat(bytes_of(write_dat(bools)), "w.dat") == bools);
}

TEST_CASE("what other writers make is read as well") {
  CHECK(read_dat(bytes_of(file_of(0, 1, 8, {2}, "\x01\xff")), "w") ==
        Tensor::of<std::uint8_t>({2}, {1, 255}));
  CHECK(read_dat(bytes_of(file_of(0, 4, 8, {2}, "\x01\xff")), "w") ==
        Tensor::of<std::int8_t>({2}, {1, -1}));
  // 1010 0000, 01...: the highest bit comes first
  CHECK(
      read_dat(bytes_of(file_of(0, 5, 1, {10}, "\xa0\x40")), "w") ==
      Tensor::of<bool>({10}, {true, false, true, false, false, false, false, false, false, true}));
  const Tensor odd_bool = read_dat(bytes_of(file_of(0, 5, 8, {1}, "\x02")), "w");
  CHECK(odd_bool.bytes()[0] == std::byte{1});
}

TEST_CASE("with an owner the tensor is a view, and keeps the owner") {
  const auto owner = std::make_shared<MutableTensor>(DatumType::u8, Shape{128 + 8});
  const std::string file = write_dat(Tensor::of<float>({2}, {1.0f, 2.0f}));
  std::memcpy(owner->data(), file.data(), file.size());
  {
    const Tensor view = read_dat(owner->bytes(), "w.dat", owner);
    CHECK(view == Tensor::of<float>({2}, {1.0f, 2.0f}));
    CHECK(view.data() == owner->data() + 128);
    CHECK(owner.use_count() == 2);
  }
  CHECK(owner.use_count() == 1);
}

TEST_CASE("a broken file is refused before memory is taken for it") {
  struct Case {
    std::string file;
    std::string_view part;
    ErrorKind kind = ErrorKind::file;
  };
  const std::string good = file_of(0, 0, 32, {1}, "abcd");
  std::string bad_magic = good, bad_version = good, bad_count = good, bad_rank = good;
  bad_magic[0] = 'x';
  bad_version[2] = 2;
  bad_count[4] = 5;
  bad_rank[8] = 20;
  const std::string_view one_string("\2\0\0\0ab", 6);
  const Case cases[] = {
      {"", "a header has 128"},
      {good.substr(0, 127), "it has 127 bytes"},
      {bad_magic, "4e ef"},
      {bad_version, "version 1 wanted, 2 given"},
      {bad_count, "announces 5 bytes, its shape asks for 4"},
      {good.substr(0, 131), "its shape asks for 1 items of 32 bits, 3 bytes are there"},
      {good + "x", "its shape asks for 4 bytes, 5 are there"},
      {bad_rank, "rank 20 is above 19"},
      {file_of(0, 0, 32, {0xFFFFFFFF, 0x7FFFFFFF}, "abcd"), "items of 32 bits"},
      {file_of(0, 0, 32, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, ""), "", ErrorKind::invalid_model},
      {file_of(0, 0, 8, {1}, "a"), "which is not known", ErrorKind::unsupported},
      {file_of(0x5452, 0x1000, 0xFFFFFFFF, {0x7FFFFFFF}, "ab"), "strings, 2 bytes are there"},
      {file_of(0x5452, 0x1000, 0xFFFFFFFF, {1}, one_string.substr(0, 5)), "a string of 2 bytes"},
      {file_of(0x5452, 0x1000, 0xFFFFFFFF, {0}, one_string), "6 bytes follow the last string"},
  };
  for (const Case& c : cases) {
    const Error error = error_of(c.file);
    CAPTURE(error.message());
    CHECK(error.kind() == c.kind);
    CHECK(error.message().find(c.part) != std::string::npos);
    if (c.kind != ErrorKind::invalid_model)
      CHECK(error.message().find("w.dat") != std::string::npos);
  }
}

TEST_CASE("dims have no tensor file") {
  CHECK_THROWS_WITH_AS(write_dat(MutableTensor(DatumType::dim, Shape{1}).freeze()),
                       doctest::Contains("dim cannot be stored"), Error);
}

/// One block of scale 0.5, whose byte j has j in its low bits and 15 - j in its high ones.
std::string block() {
  std::string bytes("\x00\x38", 2);
  for (int j = 0; j < 16; ++j) bytes += static_cast<char>(j | (15 - j) << 4);
  return bytes;
}

TEST_CASE("tract's Q4_0, of both forms") {
  constexpr std::uint16_t kTract = 0x5452;
  constexpr std::uint32_t kAll = 0xFFFFFFFF;
  struct Form {
    std::uint16_t code;
    float (*number)(int i);
  };
  const Form forms[] = {{0x3040, [](int i) { return i < 16 ? i - 8.0F : 31.0F - i - 8; }},
                        {0x2040, [](int i) { return (i % 2 ? 15 - i / 2 : i / 2) - 8.0F; }}};
  for (const Form& form : forms) {
    const std::string file = file_of(kTract, form.code, kAll, {2, 32}, block() + block());
    const auto blocks = read_blocks(bytes_of(file), "w.dat");
    REQUIRE(blocks.has_value());
    CHECK((blocks->scales == Tensor::of<float>({2, 1}, {0.5F, 0.5F})));
    CHECK(blocks->numbers.dtype() == DatumType::i4);
    const Tensor numbers = cast(blocks->numbers, DatumType::f32);
    for (int i = 0; i < 64; ++i)
      CHECK(numbers.as<float>()[static_cast<std::size_t>(i)] == form.number(i % 32));
  }
  CHECK_FALSE(
      read_blocks(bytes_of(file_of(0, 0, 32, {1}, std::string(4, '\0'))), "w.dat").has_value());
  for (const auto& [dims, data] : {std::pair{std::vector<std::uint32_t>{2, 32}, block()},
                                   {{31}, block()},
                                   {{}, block()},
                                   {{32}, block() + "x"}}) {
    const std::string file = file_of(kTract, 0x3040, kAll, dims, data);
    CHECK_THROWS_WITH_AS(read_blocks(bytes_of(file), "w.dat"),
                         doctest::Contains("\"w.dat\" is no tensor file"), Error);
  }
}

TEST_CASE(
    "a variable of blocks may have axes of size 1 before those of its file, as tract has it") {
  const auto file = [](std::string text) {
    const auto owned = std::make_shared<const std::string>(std::move(text));
    return FileBytes{std::as_bytes(std::span(*owned)), owned};
  };
  const auto model = [&](std::string_view shape) {
    const std::string text =
        cat("version 1.0;\nextension tract_registry tract_core;\ngraph network(x) -> (y) {\n  x = "
            "external(shape = [1, 1, 32]);\n  w = variable(label = \"w\", shape = ",
            shape, ");\n  y = matmul(x, w, transposeB = true);\n}\n");
    const std::string blocks = file_of(0x5452, 0x3040, 0xFFFFFFFF, {2, 32}, block() + block());
    return load(ArchiveFiles{{"graph.nnef", file(text)}, {"w.dat", file(blocks)}}, "m");
  };
  const Tensor ones = Tensor::of<float>({1, 1, 32}, std::vector<float>(32, 1));
  const Tensor sums = Tensor::of<float>({1, 1, 2}, {-8, -8});  // (-8 .. 7) twice, by 0.5
  CHECK(run_model(model("[1, 2, 32]"), ValueList{ones})[0].to_string() == Value(sums).to_string());
  for (const std::string_view shape : {"[2, 2, 32]", "[1, 32, 2]", "[64]"})
    CHECK_THROWS_WITH_AS(model(shape), doctest::Contains("is not that of the file"), Error);
}

}  // namespace strata::opl
