#include "strata/opl/model.h"

#include <system_error>

#include "lexer.h"
#include "reader.h"
#include "strata/opl/dat.h"
#include "strata/opl/parser.h"
#include "strata/opl/printer.h"
#include "writer.h"

namespace strata::opl {
namespace {

ArchiveLimits archive_limits(const Limits& limits) {
  ArchiveLimits out;
  out.bytes = static_cast<std::uint64_t>(limits.total_bytes);
  return out;
}

[[noreturn]] void fail_without_graph() {
  fail(ErrorKind::file, "there is no ", kGraphFile, " in it");
}

TypedModel read_text(std::string_view text, std::string_view file_name, const ArchiveFiles* files,
                     const Limits& limits, std::span<const OpEntry> own) {
  const MemoryScope memory(limits);
  const Document document = parse(text, file_name);
  return DocumentReader(document, files, limits, own).read();
}

}  // namespace

void save(const TypedModel& model, const std::filesystem::path& path,
          std::span<const OpEntry> own) {
  const auto kind = archive_kind_of(path);
  require(kind.has_value(), ErrorKind::invalid_argument, in_quotes(path.string()),
          " tells no container: .opl, .tgz, .tar.gz, .tar, .nnef or a folder is wanted");
  try {
    write_archive(path, *kind, to_files(model, own));
  } catch (Error& error) {
    throw error.in(cat("while writing ", path.string()));
  }
}

FilesToWrite to_files(const TypedModel& model, std::span<const OpEntry> own) {
  DocumentWriter writer(ConstantForm::files, own);
  FilesToWrite files;
  files.emplace(kGraphFile, [text = print(writer.write(model))] { return text; });
  for (const auto& [label, tensor] : writer.variables())
    files.emplace(label + ".dat", [tensor = tensor] { return write_dat(tensor); });
  return files;
}

TypedModel load(const std::filesystem::path& path, const Limits& limits,
                std::span<const OpEntry> own) {
  std::error_code unknown;  // reading it says more
  const bool is_folder = std::filesystem::is_directory(path, unknown);
  const bool is_text = path.filename() == kGraphFile && !is_folder;
  const std::filesystem::path folder = path.parent_path().empty() ? "." : path.parent_path();
  try {
    if (is_folder && !std::filesystem::exists(path / kGraphFile, unknown) && !unknown)
      fail_without_graph();
    return load(read_archive(is_text ? folder : path, archive_limits(limits)), kGraphFile, limits,
                own);
  } catch (Error& error) {
    throw error.in(cat("while loading ", path.string()));
  }
}

TypedModel load(const ArchiveFiles& files, std::string_view name, const Limits& limits,
                std::span<const OpEntry> own) {
  const auto graph = files.find(kGraphFile);
  if (graph == files.end()) fail_without_graph();
  return read_text(graph->second.text(), name, &files, limits, own);
}

bool looks_like_opl(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  constexpr std::size_t kTarMagic = 257;
  const bool is_gzip = text.starts_with("\x1f\x8b");
  const bool is_tar = text.size() > kTarMagic && text.substr(kTarMagic).starts_with("ustar");
  return is_gzip || is_tar || begins_with(text, "version");
}

std::string to_text(const TypedModel& model, std::span<const OpEntry> own) {
  return print(DocumentWriter(ConstantForm::text, own).write(model));
}

TypedModel from_text(std::string_view text, const Limits& limits, std::span<const OpEntry> own) {
  return read_text(text, kGraphFile, nullptr, limits, own);
}

}  // namespace strata::opl
