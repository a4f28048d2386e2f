#include "strata/core/replacement.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "strata/core/error.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

/// A folder of its own that holds the file `old`, with `before` in it.
struct Folder {
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "strata-replacement-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
    std::ofstream(path / "old") << "before";
  }
  ~Folder() { fs::remove_all(path); }
  std::ptrdiff_t size() const { return std::distance(fs::directory_iterator(path), {}); }
  std::string content(const char* name) const {
    std::ifstream file(path / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path path;
};

}  // namespace

TEST_SUITE("replacement") {
  TEST_CASE("a file is replaced when it is whole") {
    const Folder folder;
    {
      const Replacement file(folder.path / "old");
      file.write("after, and longer");
      CHECK(folder.content("old") == "before");
      file.write("after");
      file.finish();
    }
    CHECK(folder.content("old") == "after");
    CHECK(folder.size() == 1);
  }

  TEST_CASE("what is not finished leaves the old file alone") {
    const Folder folder;
    { Replacement(folder.path / "old").write("after"); }
    { Replacement(folder.path / "new").write("after"); }
    CHECK(folder.content("old") == "before");
    CHECK(folder.size() == 1);
  }

  TEST_CASE("a handler of signals removes what is not finished, and nothing else") {
    const Folder folder;
    const Replacement file(folder.path / "old");
    Replacement(folder.path / "new").finish();
    CHECK(folder.size() == 3);
    remove_unfinished_files();
    CHECK(folder.size() == 2);
    CHECK(folder.content("old") == "before");
    CHECK_THROWS_WITH_AS(file.finish(), doctest::Contains("cannot write"), Error);
  }

  TEST_CASE("two that write to one file do not meet") {
    const Folder folder;
    const Replacement first(folder.path / "old"), second(folder.path / "old");
    first.write("first");
    second.write("second");
    first.finish();
    CHECK(folder.content("old") == "first");
    second.finish();
    CHECK(folder.content("old") == "second");
  }

  TEST_CASE("through a link the file it names is replaced") {
    const Folder folder;
    fs::create_symlink("old", folder.path / "link");
    const Replacement file(folder.path / "link");
    file.write("after");
    file.finish();
    CHECK(fs::is_symlink(folder.path / "link"));
    CHECK(folder.content("old") == "after");
  }

  TEST_CASE("a folder that is not there, or is in the way") {
    const Folder folder;
    CHECK_THROWS_WITH_AS(Replacement(folder.path / "none" / "file"),
                         doctest::Contains("No such file or directory"), Error);
    fs::create_directory(folder.path / "folder");
    const Replacement file(folder.path / "folder");
    CHECK_THROWS_WITH_AS(file.finish(), doctest::Contains("cannot write"), Error);
  }
}
