#include "npz.h"

#include <doctest/doctest.h>

#include <string>

#include "support/scratch_folder.h"

namespace strata::cli {
namespace {

ErrorKind failure(const std::filesystem::path& path) {
  try {
    read_npz(path);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

const std::vector<std::pair<std::string, Tensor>> kEntries = {
    {"x", Tensor::of<float>(Shape{2}, {1, 2})},
    {"encoder/größe", Tensor::scalar<std::int64_t>(3)},
    {"empty", Tensor::of<bool>(Shape{0}, {})},
};

}  // namespace

TEST_CASE("an archive reads back with names in order") {
  const tests::ScratchFolder folder;
  write_npz(folder / "a.npz", kEntries);
  CHECK(read_npz(folder / "a.npz") == kEntries);
  write_npz(folder / "a.npz", {});
  CHECK(read_npz(folder / "a.npz").empty());
  CHECK(folder.entries() == 1);
}

TEST_CASE("a failed write leaves the old file and nothing else") {
  const tests::ScratchFolder folder;
  write_npz(folder / "a.npz", kEntries);
  const Tensor bad = Tensor::scalar<std::string>(std::string(1, '\0'));
  CHECK_THROWS_WITH_AS(write_npz(folder / "a.npz", {{"good", Tensor()}, {"bad", bad}}),
                       doctest::Contains("ends in NUL"), Error);
  CHECK_THROWS_WITH_AS(write_npz(folder / "a.npz", {{"x", Tensor()}, {"x", Tensor()}}),
                       doctest::Contains("two arrays are named"), Error);
  for (const std::string& name :
       {std::string("y\xff\x80"), std::string("y\0z", 3), std::string("a\\b")})
    CHECK_THROWS_WITH_AS(write_npz(folder / "a.npz", {{name, Tensor()}}),
                         doctest::Contains("takes names in UTF-8 without a zero"), Error);
  CHECK(read_npz(folder / "a.npz") == kEntries);
  CHECK(folder.entries() == 1);
}

TEST_CASE("missing, foreign and cut archives are errors of the file") {
  const tests::ScratchFolder folder;
  CHECK(failure(folder / "missing.npz") == ErrorKind::file);
  CHECK(failure(folder.write("text.npz", "hello")) == ErrorKind::file);
  write_npz(folder / "a.npz", kEntries);
  std::filesystem::resize_file(folder / "a.npz", 150);
  CHECK(failure(folder / "a.npz") == ErrorKind::file);
  CHECK_THROWS_WITH_AS(write_npz(folder / "none/a.npz", kEntries),
                       doctest::Contains("No such file or directory"), Error);
}

}  // namespace strata::cli
