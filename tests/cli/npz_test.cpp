#include "npz.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace strata::cli {
namespace {

/// A folder that is removed with everything in it.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              cat("strata_npz_", static_cast<long long>(::getpid()))) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  auto files() const { return std::distance(std::filesystem::directory_iterator(path_), {}); }

 private:
  std::filesystem::path path_;
};

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
  const Folder folder;
  write_npz(folder / "a.npz", kEntries);
  CHECK(read_npz(folder / "a.npz") == kEntries);
  write_npz(folder / "a.npz", {});
  CHECK(read_npz(folder / "a.npz").empty());
  CHECK(folder.files() == 1);
}

TEST_CASE("a failed write leaves the old file and nothing else") {
  const Folder folder;
  write_npz(folder / "a.npz", kEntries);
  const Tensor bad = Tensor::scalar<std::string>(std::string(1, '\0'));
  CHECK_THROWS_WITH_AS(write_npz(folder / "a.npz", {{"good", Tensor()}, {"bad", bad}}),
                       doctest::Contains("ends in NUL"), Error);
  CHECK_THROWS_WITH_AS(write_npz(folder / "a.npz", {{"x", Tensor()}, {"x", Tensor()}}),
                       doctest::Contains("two arrays are named"), Error);
  for (const std::string name : {std::string("y\xff\x80"), std::string("y\0z", 3)})
    CHECK_THROWS_WITH_AS(write_npz(folder / "a.npz", {{name, Tensor()}}),
                         doctest::Contains("takes names in UTF-8 without a zero"), Error);
  CHECK(read_npz(folder / "a.npz") == kEntries);
  CHECK(folder.files() == 1);
}

TEST_CASE("missing, foreign and cut archives are errors of the file") {
  const Folder folder;
  CHECK(failure(folder / "missing.npz") == ErrorKind::file);
  std::ofstream(folder / "text.npz") << "hello";
  CHECK(failure(folder / "text.npz") == ErrorKind::file);
  write_npz(folder / "a.npz", kEntries);
  std::filesystem::resize_file(folder / "a.npz", 150);
  CHECK(failure(folder / "a.npz") == ErrorKind::file);
  CHECK_THROWS_WITH_AS(write_npz(folder / "none/a.npz", kEntries),
                       doctest::Contains("No such file or directory"), Error);
}

}  // namespace strata::cli
