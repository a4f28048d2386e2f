#include "strata/onnx/load.h"

#include "file_kind.h"
#include "graph_builder.h"
#include "message_reader.h"
#include "model_checks.h"
#include "strata/core/error.h"
#include "strata/core/mapped_file.h"

namespace strata::onnx {
namespace {

using Bytes = std::span<const std::byte>;

void check_file(Bytes bytes, const Limits& limits) {
  const std::string foreign = foreign_content(bytes);
  require(foreign.empty(), ErrorKind::file, "not an ONNX model: the file holds ", foreign);
  require(std::cmp_less_equal(bytes.size(), limits.total_bytes), ErrorKind::limit, "the file has ",
          bytes.size(), " bytes, more than the ", limits.total_bytes,
          " allowed (Limits::total_bytes)");
  require(bytes.size() <= INT32_MAX, ErrorKind::file, "the file has ", bytes.size(),
          " bytes; from 2 GB on a model keeps its tensors in external data");
}

const ModelProto& parse(Bytes bytes, MessageArena& arena) {
  const Text text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto* model = read_message<ModelProto>(text, arena);
  require(model, ErrorKind::file, "not an ONNX model, or one that is truncated or damaged");
  return *model;
}

/// Tensors are left in `file`, where there is one; then `bytes` are its.
hir::InferenceModel build(Bytes bytes, const std::shared_ptr<const MappedFile>& file,
                          const DataFolders& folders, const Limits& limits, const Registry* own) {
  const MemoryScope memory(limits);
  check_file(bytes, limits);
  MessageArena arena(limits.total_bytes);
  const ModelProto& model = parse(bytes, arena);
  check(model.graph, "the model has no graph");
  check_size(model, limits);
  GraphNames names(model);
  const Environment environment{imported_opsets(model), {}, {}, {}};
  const auto symbols = std::make_shared<SymbolScope>();
  ModelContext context{limits,
                       arena,
                       symbols,
                       DimNames(symbols, model),
                       TensorReader(folders, file),
                       Functions(model, environment.opsets, arena),
                       model.ir_version,
                       names,
                       OpKinds(own)};
  check_inlined_size(*model.graph, context.functions, limits);
  return build_model(*model.graph, context, environment);
}

DataFolders folders_of(const std::filesystem::path& model) {
  std::error_code unknown;  // then links lead nowhere else
  return {model.has_parent_path() ? model.parent_path() : ".",
          std::filesystem::canonical(model, unknown).parent_path()};
}

}  // namespace

hir::InferenceModel load(const std::filesystem::path& path, const Limits& limits,
                         const Registry* own) {
  try {
    const auto file = std::make_shared<const MappedFile>(path);
    return build(file->bytes(), file, folders_of(path), limits, own);
  } catch (Error& error) {
    throw error.in(cat("while loading ", path.string()));
  }
}

hir::InferenceModel load(Bytes bytes, const std::filesystem::path& folder, const Limits& limits,
                         const Registry* own) {
  return build(bytes, nullptr, {folder, {}}, limits, own);
}

}  // namespace strata::onnx
