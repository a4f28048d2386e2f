#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "archive_files.h"
#include "lexer.h"
#include "strata/core/error.h"
#include "strata/core/mapped_file.h"
#include "strata/core/replacement.h"
#include "strata/core/text.h"

namespace strata::opl {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_write(const fs::path& path, std::string_view why) {
  fail(ErrorKind::file, "cannot write ", in_quotes(path.string()), ": ", why);
}

[[noreturn]] void fail_write(const fs::path& path) { fail_write(path, std::strerror(errno)); }

void throw_if(const std::error_code& error, const fs::path& path) {
  if (error) fail_write(path, error.message());
}

/// A new folder beside another. At the end it is removed with whatever it contains by then.
class StagedFolder {
 public:
  explicit StagedFolder(const fs::path& beside) : folder_(hidden_beside(beside, "new").string()) {
    std::error_code error;
    is_made_ = fs::create_directory(folder_.path(), error);
    throw_if(error, beside);
    if (!is_made_) fail_write(beside, "another program takes its name");
  }
  ~StagedFolder() {
    std::error_code ignored;
    if (is_made_) fs::remove_all(folder_.path(), ignored);
  }
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;
  fs::path path() const { return folder_.path(); }

 private:
  Unfinished folder_;
  bool is_made_ = false;
};

/// A file being written, whatever it holds; close() makes it durable and reports every failure.
class NewFile {
 public:
  explicit NewFile(const fs::path& path) : path_(path) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail_write(path_);
  }
  ~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int descriptor() const { return descriptor_; }
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_write(path_);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void close() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail_write(path_);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail_write(path_);
  }

 private:
  fs::path path_;
  int descriptor_ = -1;
};

/// The document first, as readers that stream want it, then the rest by name.
template <class Visit>
void visit_in_order(const FilesToWrite& files, Visit visit) {
  if (const auto first = files.find(kGraphFile); first != files.end()) visit(*first);
  for (const auto& file : files) {
    if (file.first != kGraphFile) visit(file);
  }
}

using Writer = std::unique_ptr<::archive, decltype(&archive_write_free)>;

/// What libarchive says of its failure, with the system's message if there is one.
std::string reason(::archive* writer) {
  const int error = archive_errno(writer);
  const std::string said = archive_error_string(writer);
  return error > 0 ? cat(said, ": ", std::strerror(error)) : said;
}

void write_entry(::archive* writer, const fs::path& path, const std::string& name,
                 std::string_view bytes) {
  const std::unique_ptr<::archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                              archive_entry_free);
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_mtime(entry.get(), 0, 0);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
  const auto check_status = [&](la_ssize_t status) {
    if (status < 0) fail_write(path, cat(in_quotes(name), ": ", reason(writer)));
  };
  check_status(archive_write_header(writer, entry.get()));
  while (!bytes.empty()) {
    const la_ssize_t written = archive_write_data(writer, bytes.data(), bytes.size());
    check_status(written);
    if (written == 0) fail_write(path, cat(in_quotes(name), ": nothing was written"));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_tar(const fs::path& path, ArchiveKind kind, const FilesToWrite& files) {
  NewFile file(path);
  const Writer writer(archive_write_new(), archive_write_free);
  const auto check_status = [&](int status) {
    if (status != ARCHIVE_OK) fail_write(path, reason(writer.get()));
  };
  check_status(archive_write_set_format_gnutar(writer.get()));
  if (kind == ArchiveKind::compressed_tar) {
    check_status(archive_write_add_filter_gzip(writer.get()));
    check_status(archive_write_set_filter_option(writer.get(), "gzip", "timestamp", nullptr));
    check_status(archive_write_set_filter_option(writer.get(), "gzip", "compression-level", "6"));
  }
  check_status(archive_write_open_fd(writer.get(), file.descriptor()));
  visit_in_order(files, [&](const auto& named) {
    write_entry(writer.get(), path, named.first, named.second());
  });
  check_status(archive_write_close(writer.get()));
  file.close();
}

void write_folder(const fs::path& path, const FilesToWrite& files) {
  std::error_code error;
  visit_in_order(files, [&](const auto& named) {
    const fs::path target = path / named.first;
    fs::create_directories(target.parent_path(), error);
    throw_if(error, target);
    NewFile file(target);
    file.write(named.second());
    file.close();
  });
}

using Strings = std::set<std::string, std::less<>>;

/// The strings in a text of OPL, among them the labels of its variables; of a damaged text, those
/// before the damage.
Strings strings_in(const fs::path& file) {
  const MappedFile mapped(file);
  const auto bytes = mapped.bytes();
  Lexer lexer({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, kGraphFile);
  Strings out;
  try {
    for (Token token = lexer.next(); token.kind != Token::Kind::end; token = lexer.next())
      if (token.kind == Token::Kind::string) out.insert(token.value());
  } catch (const Error&) {  // the files named after the damage count as not belonging to the model
  }
  return out;
}

/// Refuses a folder with files that do not belong to a model, since replacing it would delete them.
void check_is_model(const fs::path& path) {
  const fs::path text = path / kGraphFile;
  const Strings labels = fs::is_regular_file(text) ? strings_in(text) : Strings();
  const auto belongs = [&](const fs::path& name) {
    if (name == kGraphFile || name == "graph.quant") return true;
    return name.extension() == ".dat" &&
           labels.contains(fs::path(name).replace_extension().string());
  };
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (fs::is_directory(entry.symlink_status())) continue;
    const fs::path name = entry.path().lexically_relative(path);
    if (!fs::is_regular_file(entry.symlink_status()) || !belongs(name))
      fail_write(path,
                 cat("the folder holds more than a model, such as ", in_quotes(name.string())));
  }
}

/// What distinguishes a folder from another that takes its name. The inode number alone does not:
/// it is reused.
using Identity = std::tuple<ino_t, time_t, long>;
std::optional<Identity> identity_of(const fs::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return Identity(found.st_ino, found.st_ctim.tv_sec, found.st_ctim.tv_nsec);
}

/// Like check_is_model, for a folder that other programs may replace meanwhile.
void check_replaceable(const fs::path& path) {
  constexpr int kTries = 16;
  for (int tries = 1;; ++tries) {
    const auto before = identity_of(path);
    if (!before) return;
    if (!fs::is_directory(path)) fail_write(path, "a file of that name is in the way of a folder");
    try {
      return check_is_model(path);
    } catch (const fs::filesystem_error& error) {
      if (tries == kTries || identity_of(path) == before) fail_write(path, error.code().message());
    } catch (const Error&) {
      if (tries == kTries || identity_of(path) == before) throw;
    }
  }
}

/// Puts the new folder in the old one's place, and the old one in the new one's.
void swap_folder(const fs::path& staged, const fs::path& path) {
  std::error_code error;
  fs::rename(staged, path, error);  // suffices if there is no old one, or it is empty
  if (!error) return;
  if (::renameat2(AT_FDCWD, staged.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) fail_write(path);
  // Not every file system can exchange two folders.
  const fs::path old = hidden_beside(path, "old");
  fs::rename(path, old, error);
  throw_if(error, path);
  fs::rename(staged, path, error);
  if (error) {
    std::error_code ignored;
    fs::rename(old, path, ignored);
    throw_if(error, path);
  }
  fs::remove_all(old, error);
}

void check_names(const FilesToWrite& files) {
  for (auto file = files.begin(); file != files.end(); ++file) {
    const std::string_view defect = name_defect(file->first);
    require(defect.empty(), ErrorKind::invalid_argument, "the file name ", in_quotes(file->first),
            " ", defect);
    const auto inside = files.lower_bound(file->first + "/");
    require(inside == files.end() || !inside->first.starts_with(file->first + "/"),
            ErrorKind::invalid_argument, in_quotes(file->first), " is both a file and a folder");
  }
}

void write_at(const fs::path& path, ArchiveKind kind, const FilesToWrite& files) {
  if (kind == ArchiveKind::folder) {
    check_replaceable(path);
    const StagedFolder staged(path);
    write_folder(staged.path(), files);
    return swap_folder(staged.path(), path);
  }
  if (fs::is_directory(path)) fail_write(path, "a folder of that name is in the way of a file");
  const Replacement file(path);
  write_tar(file.path(), kind, files);
  file.finish();
}

}  // namespace

std::optional<ArchiveKind> archive_kind_of(const fs::path& path) {
  const std::string name = path.string();
  std::error_code ignored;
  if (name.ends_with('/') || fs::is_directory(path, ignored)) return ArchiveKind::folder;
  for (const char* end : {".opl", ".tgz", ".tar.gz"}) {
    if (name.ends_with(end)) return ArchiveKind::compressed_tar;
  }
  if (name.ends_with(".tar")) return ArchiveKind::tar;
  if (name.ends_with(".nnef")) return ArchiveKind::folder;
  return std::nullopt;
}

void write_archive(const fs::path& path, ArchiveKind kind, const FilesToWrite& files) {
  check_names(files);
  try {
    // Replaces the file that a link points to, not the link; drops a trailing slash.
    fs::path target = fs::weakly_canonical(fs::absolute(path));
    if (target.filename().empty()) target = target.parent_path();
    write_at(target, kind, files);
  } catch (const fs::filesystem_error& failure) {
    fail_write(path, failure.code().message());
  }
}

}  // namespace strata::opl
