#include "npz.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <system_error>

#include "npy.h"
#include "strata/core/error.h"
#include "strata/core/limits.h"

namespace strata::cli {
namespace {

constexpr std::string_view kSuffix = ".npy";

struct FreeReader {
  void operator()(archive* a) const { archive_read_free(a); }
};
struct FreeWriter {
  void operator()(archive* a) const { archive_write_free(a); }
};
struct FreeEntry {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};
using Reader = std::unique_ptr<archive, FreeReader>;
using Writer = std::unique_ptr<archive, FreeWriter>;

/// While it lives this thread's characters are UTF-8: libarchive turns names into the thread's
/// character set.
class Utf8Names {
 public:
  Utf8Names() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_) outer_ = uselocale(locale_);
  }
  ~Utf8Names() {
    if (!locale_) return;
    uselocale(outer_);
    freelocale(locale_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  locale_t locale_;
  locale_t outer_ = nullptr;
};

std::string reason(archive* a) {
  const char* text = archive_error_string(a);
  return text ? text : "unknown archive error";
}

void require_ok(archive* a, int status, std::string_view action, const std::string& file) {
  require(status >= ARCHIVE_WARN, ErrorKind::file, "cannot ", action, " ", in_quotes(file), ": ",
          reason(a));
}

/// The content of the entry that the reader stands at.
std::string entry_bytes(archive* reader, const std::string& file) {
  const auto most = static_cast<std::size_t>(Limits{}.tensor_bytes);
  std::string out;
  std::array<char, 65536> block;
  for (;;) {
    const auto count = archive_read_data(reader, block.data(), block.size());
    require(count >= 0, ErrorKind::file, "cannot read ", in_quotes(file), ": ", reason(reader));
    if (count == 0) return out;
    require(static_cast<std::size_t>(count) <= most - out.size(), ErrorKind::limit, "an entry of ",
            in_quotes(file), " exceeds the limit tensor_bytes of ", most);
    out.append(block.data(), static_cast<std::size_t>(count));
  }
}

Reader open_reader(const std::filesystem::path& path) {
  Reader reader(archive_read_new());
  require(reader != nullptr, ErrorKind::limit, "no memory to read an archive");
  archive_read_support_format_zip(reader.get());
  require_ok(reader.get(), archive_read_open_filename(reader.get(), path.c_str(), 65536), "open",
             path.string());
  return reader;
}

void write_entry(archive* writer, const std::string& name, const Tensor& tensor,
                 const std::string& file) {
  constexpr std::time_t kOldestZipDate = 315619200;  // 1980-01-02: files do not depend on the day
  const std::string bytes = write_npy(tensor);
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  require(entry != nullptr, ErrorKind::limit, "no memory to write an archive");
  archive_entry_set_pathname_utf8(entry.get(), (name + std::string(kSuffix)).c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_mtime(entry.get(), kOldestZipDate, 0);
  require_ok(writer, archive_write_header(writer, entry.get()), "write", file);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = archive_write_data(writer, bytes.data() + done, bytes.size() - done);
    require(count > 0, ErrorKind::file, "cannot write ", in_quotes(file), ": ", reason(writer));
    done += static_cast<std::size_t>(count);
  }
}

void write_archive(const std::string& file,
                   const std::vector<std::pair<std::string, Tensor>>& entries) {
  const Utf8Names utf8_names;
  const Writer writer(archive_write_new());
  require(writer != nullptr, ErrorKind::limit, "no memory to write an archive");
  archive_write_set_format_zip(writer.get());
  require_ok(writer.get(), archive_write_zip_set_compression_store(writer.get()), "write", file);
  require_ok(writer.get(), archive_write_set_options(writer.get(), "hdrcharset=UTF-8"), "write",
             file);
  require_ok(writer.get(), archive_write_open_filename(writer.get(), file.c_str()), "write", file);
  for (const auto& [name, tensor] : entries) write_entry(writer.get(), name, tensor, file);
  require_ok(writer.get(), archive_write_close(writer.get()), "write", file);
}

/// A file's temporary name; the file is removed with it unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target)
      : path_(target.string() + cat(".tmp", static_cast<long long>(::getpid()))) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  void rename(const std::filesystem::path& target) const {
    std::error_code error;
    std::filesystem::rename(path_, target, error);
    require(!error, ErrorKind::file, "cannot write ", in_quotes(target.string()), ": ",
            error.message());
  }

 private:
  std::string path_;
};

}  // namespace

std::vector<std::pair<std::string, Tensor>> read_npz(const std::filesystem::path& path) {
  const std::string file = path.string();
  const Utf8Names utf8_names;
  const Reader reader = open_reader(path);
  std::vector<std::pair<std::string, Tensor>> out;
  std::set<std::string> seen;
  for (;;) {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return out;
    require_ok(reader.get(), status, "read", file);
    const char* utf8 = archive_entry_pathname_utf8(entry);
    const char* raw = utf8 ? utf8 : archive_entry_pathname(entry);
    require(raw != nullptr, ErrorKind::file, in_quotes(file), " has an entry without a name");
    std::string name = raw;
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
    require(seen.insert(name).second, ErrorKind::file, in_quotes(file), " holds ", in_quotes(name),
            " twice");
    const std::string bytes = entry_bytes(reader.get(), file);
    const std::string place = cat(file, ":", name);
    out.emplace_back(name, read_npy(std::as_bytes(std::span(bytes)), place));
  }
}

void write_npz(const std::filesystem::path& path,
               const std::vector<std::pair<std::string, Tensor>>& entries) {
  std::set<std::string> seen;
  for (const auto& [name, tensor] : entries) {
    require(seen.insert(name).second, ErrorKind::invalid_argument, "two arrays are named ",
            in_quotes(name));
  }
  const TemporaryFile temporary(path);
  write_archive(temporary.path(), entries);
  temporary.rename(path);
}

}  // namespace strata::cli
