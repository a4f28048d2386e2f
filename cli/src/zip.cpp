#include "zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include <array>
#include <ctime>
#include <memory>

namespace strata::cli {
namespace {

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
  const char* text = a ? archive_error_string(a) : "no memory";
  return text ? text : "unknown archive error";
}

void require_ok(archive* a, la_int64_t status) {
  if (!a || status < ARCHIVE_WARN) throw ZipFailure(reason(a));
}

/// The content of the entry that the reader stands at.
std::string entry_bytes(archive* reader, std::size_t most_bytes) {
  std::string out;
  std::array<char, 65536> block;
  for (;;) {
    const auto count = archive_read_data(reader, block.data(), block.size());
    if (count < 0) throw ZipFailure(reason(reader));
    if (count == 0) return out;
    if (static_cast<std::size_t>(count) > most_bytes - out.size())
      throw ZipEntryTooLarge("an entry is too large");
    out.append(block.data(), static_cast<std::size_t>(count));
  }
}

std::string entry_name(archive_entry* entry) {
  const char* utf8 = archive_entry_pathname_utf8(entry);
  const char* raw = utf8 ? utf8 : archive_entry_pathname(entry);
  if (!raw) throw ZipFailure("an entry has no name");
  return raw;
}

void read(const std::string& file, std::size_t most_bytes, const ZipLibrary::Visit& visit) {
  const Utf8Names utf8_names;
  const Reader reader(archive_read_new());
  require_ok(reader.get(), archive_read_support_format_zip(reader.get()));
  require_ok(reader.get(), archive_read_open_filename(reader.get(), file.c_str(), 65536));
  for (;;) {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return;
    require_ok(reader.get(), status);
    std::string name = entry_name(entry);
    visit(std::move(name), entry_bytes(reader.get(), most_bytes));
  }
}

void write_entry(archive* writer, const std::string& name, const std::string& bytes) {
  constexpr std::time_t kOldestZipDate = 315619200;  // 1980-01-02: files do not depend on the day
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  if (!entry) throw ZipFailure("no memory");
  archive_entry_set_pathname_utf8(entry.get(), name.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_mtime(entry.get(), kOldestZipDate, 0);
  require_ok(writer, archive_write_header(writer, entry.get()));
  for (std::size_t done = 0; done < bytes.size();) {
    const auto count = archive_write_data(writer, bytes.data() + done, bytes.size() - done);
    if (count <= 0) throw ZipFailure(reason(writer));
    done += static_cast<std::size_t>(count);
  }
}

void write(const std::string& file, const ZipLibrary::Contents& contents) {
  const Utf8Names utf8_names;
  const Writer writer(archive_write_new());
  require_ok(writer.get(), archive_write_set_format_zip(writer.get()));
  require_ok(writer.get(), archive_write_zip_set_compression_store(writer.get()));
  require_ok(writer.get(), archive_write_set_options(writer.get(), "hdrcharset=UTF-8"));
  require_ok(writer.get(), archive_write_open_filename(writer.get(), file.c_str()));
  for (const auto& [name, bytes] : contents) write_entry(writer.get(), name, bytes());
  require_ok(writer.get(), archive_write_close(writer.get()));
}

}  // namespace

const ZipLibrary* libarchive_zip() {
  static constexpr ZipLibrary kLibrary{read, write};
  return &kLibrary;
}

}  // namespace strata::cli
