#include "strata/core/replacement.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "strata/core/error.h"
#include "support/scratch_folder.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

/// A folder that holds the file `old`, with `before` in it.
struct Folder {
  Folder() { scratch.write("old", "before"); }
  std::ptrdiff_t size() const { return scratch.entries(); }
  fs::path operator/(const char* name) const { return scratch / name; }
  std::string content(const char* name) const {
    std::ifstream file(scratch / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  tests::ScratchFolder scratch;
};

}  // namespace

TEST_SUITE("replacement") {
  TEST_CASE("a file is replaced when it is whole") {
    const Folder folder;
    {
      const Replacement file(folder / "old");
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
    { Replacement(folder / "old").write("after"); }
    { Replacement(folder / "new").write("after"); }
    CHECK(folder.content("old") == "before");
    CHECK(folder.size() == 1);
  }

  TEST_CASE("a handler of signals removes what is not finished, and nothing else") {
    const Folder folder;
    const Replacement file(folder / "old");
    Replacement(folder / "new").finish();
    CHECK(folder.size() == 3);
    remove_unfinished_files();
    CHECK(folder.size() == 2);
    CHECK(folder.content("old") == "before");
    CHECK_THROWS_WITH_AS(file.finish(), doctest::Contains("cannot write"), Error);
  }

  TEST_CASE("a handler of signals removes a folder with what it holds") {
    const Folder folder;
    const Unfinished staged((folder / "staged").string());
    for (const char* const inner : {"staged", "staged/a", "staged/a/b"})
      fs::create_directory(folder / inner);
    for (int i = 0; i < 300; ++i)
      std::ofstream(folder / "staged/a" / std::to_string(i)) << "a name of some length";
    fs::create_symlink("../old", folder / "staged/link");
    remove_unfinished_files();
    CHECK(folder.size() == 1);
    CHECK(folder.content("old") == "before");
  }

  TEST_CASE("a file hands on who may read it") {
    const Folder folder;
    fs::permissions(folder / "old", fs::perms::owner_read | fs::perms::owner_write);
    const Replacement file(folder / "old");
    file.write("after");
    file.finish();
    CHECK(fs::status(folder / "old").permissions() ==
          (fs::perms::owner_read | fs::perms::owner_write));
  }

  TEST_CASE("a name may be as long as the system lets it") {
    const Folder folder;
    const std::string name(255, 'a');
    const Replacement file(folder / name.c_str());
    file.write("after");
    file.finish();
    CHECK(folder.content(name.c_str()) == "after");
  }

  TEST_CASE("a pipe is not replaced") {
    const Folder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK_THROWS_WITH_AS(Replacement(folder / "pipe"), doctest::Contains("no regular file"), Error);
  }

  TEST_CASE("two that write to one file do not meet") {
    const Folder folder;
    const Replacement first(folder / "old"), second(folder / "old");
    first.write("first");
    second.write("second");
    first.finish();
    CHECK(folder.content("old") == "first");
    second.finish();
    CHECK(folder.content("old") == "second");
  }

  TEST_CASE("through a link the file it names is replaced") {
    const Folder folder;
    fs::create_symlink("old", folder / "link");
    const Replacement file(folder / "link");
    file.write("after");
    file.finish();
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(folder.content("old") == "after");
    fs::create_symlink("none", folder / "dangling");
    Replacement(folder / "dangling").finish();
    CHECK(fs::is_symlink(folder / "dangling"));
    CHECK(fs::is_regular_file(folder / "none"));
  }

  TEST_CASE("a folder that is not there, or is in the way") {
    const Folder folder;
    CHECK_THROWS_WITH_AS(Replacement(folder / "none/file"),
                         doctest::Contains("No such file or directory"), Error);
    fs::create_directory(folder / "folder");
    const Replacement file(folder / "folder");
    CHECK_THROWS_WITH_AS(file.finish(), doctest::Contains("cannot write"), Error);
  }
}
