#include "strata/opl/archive.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "strata/core/error.h"
#include "support/scratch_folder.h"

namespace strata::opl {
namespace {

namespace fs = std::filesystem;

/// While it lives, permissions bind root as they bind others.
class Unprivileged {
 public:
  Unprivileged() : user_(::geteuid()) {
    constexpr uid_t kNobody = 65534;
    if (user_ == 0) REQUIRE(::seteuid(kNobody) == 0);
  }
  ~Unprivileged() {
    if (::seteuid(user_) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  uid_t user_;
};

MakeBytes constant(std::string bytes) {
  return [bytes = std::move(bytes)] { return bytes; };
}

std::string large() {
  std::string bytes;
  for (unsigned i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * i % 251);
  return bytes;
}

FilesToWrite some_files() {
  const std::string long_name = "deep/" + std::string(150, 'n') + "/w.dat";
  return {{"graph.nnef", constant("version 1.0;\n")},
          {"a.dat", constant(large())},
          {"empty.dat", constant("")},
          {long_name, constant("xyz")},
          {"\xC3\xA9.dat", constant("e")}};
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A ustar header block followed by the data, as POSIX.1-1988 lays it out.
std::string tar_entry(std::string_view name, char type, std::string_view bytes) {
  std::string block(512, '\0');
  const auto put = [&block](std::size_t at, std::string_view text) {
    block.replace(at, text.size(), text);
  };
  char size[12];
  std::snprintf(size, sizeof size, "%011o", static_cast<unsigned>(bytes.size()));
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, std::string_view(size, 11));
  put(136, "00000000000");
  put(148, "        ");
  block[156] = type;
  if (type == '2') put(157, "/etc/passwd");
  put(257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  char checksum[8];
  std::snprintf(checksum, sizeof checksum, "%06o", sum);
  put(148, std::string_view(checksum, 7));
  block += bytes;
  block.resize((block.size() + 511) / 512 * 512);
  return block;
}

Error error_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "no error");
}

void check_refused(const std::string& tar, std::string_view part, ErrorKind kind = ErrorKind::file,
                   const ArchiveLimits& limits = {}) {
  const tests::ScratchFolder scratch;
  const fs::path path = scratch.write("m.tar", tar + std::string(1024, '\0'));
  const Error error = error_of([&] { read_archive(path, limits); });
  CHECK(error.kind() == kind);
  CAPTURE(error.message());
  CHECK(error.message().find(part) != std::string::npos);
  CHECK(error.message().find("m.tar") != std::string::npos);
}

}  // namespace

TEST_CASE("a pipe is refused, not waited for") {
  const tests::ScratchFolder scratch;
  const fs::path pipe = scratch / "model.opl";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const Error error = error_of([&] { read_archive(pipe); });
  CHECK(error.kind() == ErrorKind::file);
  CHECK(error.message().find("is not a regular file") != std::string::npos);
}

TEST_CASE("a name tells the container to write") {
  const tests::ScratchFolder scratch;
  CHECK(archive_kind_of("m.opl") == ArchiveKind::compressed_tar);
  CHECK(archive_kind_of("m.nnef.tgz") == ArchiveKind::compressed_tar);
  CHECK(archive_kind_of("m.tar.gz") == ArchiveKind::compressed_tar);
  CHECK(archive_kind_of("m.nnef.tar") == ArchiveKind::tar);
  CHECK(archive_kind_of("m.nnef") == ArchiveKind::folder);
  CHECK(archive_kind_of("m/") == ArchiveKind::folder);
  CHECK(archive_kind_of(scratch.path()) == ArchiveKind::folder);
  CHECK_FALSE(archive_kind_of("m.onnx").has_value());
}

TEST_CASE("what is written reads back, from each container") {
  const tests::ScratchFolder scratch;
  for (const char* name : {"m.opl", "m.tar", "m.nnef", "slash/"}) {
    CAPTURE(name);
    const fs::path path = scratch / name;
    write_archive(path, *archive_kind_of(path), some_files());
    const ArchiveFiles files = read_archive(path);
    CHECK(files.size() == some_files().size());
    for (const auto& [file, make] : some_files()) {
      const auto found = files.find(file);
      REQUIRE(found != files.end());
      CHECK(found->second.text() == make());
    }
  }
  for (const auto& entry : fs::directory_iterator(scratch.path())) {
    CHECK_FALSE(entry.path().filename().string().starts_with('.'));
  }
}

TEST_CASE("equal content gives equal bytes, and replaces what was there") {
  const tests::ScratchFolder scratch;
  for (const ArchiveKind kind : {ArchiveKind::tar, ArchiveKind::compressed_tar}) {
    const fs::path first = scratch.write("first", "old"), second = scratch / "second";
    write_archive(first, kind, some_files());
    write_archive(second, kind, some_files());
    const std::string bytes = slurp(first);
    CHECK(bytes == slurp(second));
    if (kind == ArchiveKind::tar) {
      CHECK(bytes.starts_with("graph.nnef"));
    } else {
      // RFC 1952: magic, deflate, no flags, and a zero modification time
      CHECK(bytes.substr(0, 8) == std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00", 8));
    }
  }
}

TEST_CASE("a failed write leaves the old output and nothing else") {
  const tests::ScratchFolder scratch;
  FilesToWrite failing = some_files();
  failing["z.dat"] = []() -> std::string { throw std::runtime_error("no bytes"); };
  for (const char* name : {"m.opl", "m.nnef"}) {
    const fs::path path = scratch / name;
    const ArchiveKind kind = *archive_kind_of(path);
    write_archive(path, kind, {{"graph.nnef", constant("old")}});
    CHECK_THROWS_AS(write_archive(path, kind, failing), std::runtime_error);
    CHECK(read_archive(path).at("graph.nnef").text() == "old");
    write_archive(path, kind, {{"graph.nnef", constant("new")}});
    CHECK(read_archive(path).at("graph.nnef").text() == "new");
  }
  CHECK(scratch.entries() == 2);
}

TEST_CASE("a folder that is no model is not replaced") {
  const tests::ScratchFolder scratch;
  const FilesToWrite files = {{"graph.nnef", constant("g")}};
  const fs::path letter = scratch.write("letter.txt", "dear");
  CHECK(error_of([&] { write_archive(scratch.path(), ArchiveKind::folder, files); }).kind() ==
        ErrorKind::file);
  CHECK(slurp(letter) == "dear");
  const Error missing = error_of(
      [&] { write_archive(scratch / "no/such/m.opl", ArchiveKind::compressed_tar, files); });
  CHECK(missing.kind() == ErrorKind::file);
}

TEST_CASE("a folder that holds more than a model is not replaced") {
  const tests::ScratchFolder scratch;
  const FilesToWrite files = {
      {"graph.nnef", constant("# the exporter's\nw = variable(label = \"a/w\");")},
      {"a/w.dat", constant("w")}};
  const fs::path model = scratch / "model";
  write_archive(model, ArchiveKind::folder, files);
  for (const char* const own : {"labels.json", "backup.tar.gz", "a/calibration.dat"}) {
    CAPTURE(own);
    std::ofstream(model / own) << "mine";
    const Error error = error_of([&] { write_archive(model, ArchiveKind::folder, files); });
    CHECK(error.message().find(own) != std::string::npos);
    CHECK(slurp(model / own) == "mine");
    fs::remove(model / own);
  }
  CHECK_NOTHROW(write_archive(model, ArchiveKind::folder, files));
  CHECK(scratch.entries() == 1);
}

TEST_CASE("of those that replace a folder at once each leaves a whole model") {
  const tests::ScratchFolder scratch;
  const fs::path model = scratch / "model";
  const auto write = [&](const std::string& name) {
    for (int i = 0; i < 20; ++i)
      write_archive(model, ArchiveKind::folder,
                    {{"graph.nnef", constant(cat("label = \"", name, "\""))},
                     {name + ".dat", constant(name)}});
  };
  std::vector<std::future<void>> writers;
  for (const char* const name : {"a", "b", "c"})
    writers.push_back(std::async(std::launch::async, write, name));
  for (std::future<void>& writer : writers) CHECK_NOTHROW(writer.get());
  const ArchiveFiles left = read_archive(model);
  CHECK(left.size() == 2);
  const std::string name(left.begin()->first.substr(0, 1));
  CHECK(left.at("graph.nnef").text() == cat("label = \"", name, "\""));
  CHECK(scratch.entries() == 1);
}

TEST_CASE("names that cannot be in a container are refused before anything is written") {
  const tests::ScratchFolder scratch;
  for (const char* name : {"", "/a", "../a", "a/../b", "a//b", "a/"}) {
    CAPTURE(name);
    const Error error = error_of([&] {
      write_archive(scratch / "m.tar", ArchiveKind::tar, {{name, constant("x")}});
    });
    CHECK(error.kind() == ErrorKind::invalid_argument);
  }
  const FilesToWrite both = {{"a", constant("x")}, {"a/b", constant("x")}};
  CHECK(error_of([&] { write_archive(scratch / "m.tar", ArchiveKind::tar, both); }).kind() ==
        ErrorKind::invalid_argument);
  CHECK(scratch.entries() == 0);
}

TEST_CASE("hostile archives are refused") {
  check_refused(tar_entry("../x", '0', "x"), "leaves the archive");
  check_refused(tar_entry("a/../../x", '0', "x"), "leaves the archive");
  check_refused(tar_entry("/etc/x", '0', "x"), "is absolute");
  check_refused(tar_entry("x", '2', ""), "is not a plain file");
  check_refused(tar_entry("x", '0', "x") + tar_entry("./x", '0', "y"), "is there twice");
  check_refused(tar_entry("x", '0', "x") + tar_entry("y", '0', "y"), "more than 1 files",
                ErrorKind::limit, {.entries = 1});
  check_refused(tar_entry("x", '0', "xy") + tar_entry("y", '0', "yz"), "more than 3 bytes",
                ErrorKind::limit, {.bytes = 3});
  check_refused(tar_entry("x", '0', std::string(5000, 'x')).substr(0, 1024), "");
  check_refused("this is no archive", "");
  const Error missing = error_of([] { read_archive("/no/such/file.opl"); });
  CHECK(missing.kind() == ErrorKind::file);
  CHECK(missing.message().find("/no/such/file.opl") != std::string::npos);
}

TEST_CASE("a folder that may not be read is named, also within another") {
  const tests::ScratchFolder scratch;
  const fs::path inner = scratch / "inner";
  fs::create_directories(inner);
  fs::permissions(scratch.path(), fs::perms(0755));
  for (const fs::path& closed : {inner, scratch.path()}) {
    fs::permissions(closed, fs::perms::none);
    const Error error = [&] {
      const Unprivileged user;
      return error_of([&] { read_archive(scratch.path()); });
    }();
    fs::permissions(closed, fs::perms::owner_all);
    CHECK(error.kind() == ErrorKind::file);
    CHECK(error.message() ==
          cat("cannot read ", in_quotes(closed.string()), ": Permission denied"));
  }
}

TEST_CASE("a dot before a name in a tar is dropped, and folders are passed over") {
  const tests::ScratchFolder scratch;
  const std::string tar = tar_entry("./", '5', "") + tar_entry("./a/b.dat", '0', "x");
  const ArchiveFiles files = read_archive(scratch.write("m.tar", tar + std::string(1024, '\0')));
  REQUIRE(files.size() == 1);
  CHECK(files.at("a/b.dat").text() == "x");
}

}  // namespace strata::opl
