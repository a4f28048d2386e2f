#include "strata/onnx/load.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx_pb.h>

#include "bulk_data.h"
#include "file_kind.h"
#include "graph_builder.h"
#include "mapped_file.h"
#include "model_checks.h"
#include "strata/core/error.h"

namespace strata::onnx {
namespace {

using Bytes = std::span<const std::byte>;

/// Messages within messages. A subgraph is three levels, so that far deeper models than
/// Limits::nesting allows are parsed, and refused by name.
constexpr int kMessageNesting = 4000;

void check_file(Bytes bytes, const Limits& limits) {
  const std::string foreign = foreign_content(bytes);
  require(foreign.empty(), ErrorKind::file, "not an ONNX model: the file holds ", foreign);
  require(std::cmp_less_equal(bytes.size(), limits.total_bytes), ErrorKind::limit, "the file has ",
          bytes.size(), " bytes, more than the ", limits.total_bytes,
          " allowed (Limits::total_bytes)");
  require(bytes.size() <= INT32_MAX, ErrorKind::file, "the file has ", bytes.size(),
          " bytes; from 2 GB on a model keeps its tensors in external data");
}

/// The model lies in `arena`.
::onnx::ModelProto& parse(Bytes bytes, ::google::protobuf::Arena& arena) {
  ::google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  ::google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(kMessageNesting);
  coded.SetTotalBytesLimit(INT32_MAX);
  auto& model = *::google::protobuf::Arena::CreateMessage<::onnx::ModelProto>(&arena);
  const bool is_whole = model.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  require(is_whole, ErrorKind::file, "not an ONNX model, or one that is truncated or damaged");
  return model;
}

/// Tensors are left in `file`, where there is one; then `bytes` are its.
hir::InferenceModel build(Bytes bytes, const std::shared_ptr<const MappedFile>& file,
                          const std::filesystem::path& folder, const Limits& limits) {
  const MemoryScope memory(limits);
  check_file(bytes, limits);
  auto slim = file ? without_bulk_data(bytes) : std::nullopt;
  ::google::protobuf::Arena arena;
  ::onnx::ModelProto& model = parse(slim ? std::as_bytes(std::span(slim->bytes)) : bytes, arena);
  check(model.has_graph(), "the model has no graph");
  check_size(model, limits);
  GraphNames names(model);
  const Environment environment{imported_opsets(model), {}, {}, {}};
  const auto symbols = std::make_shared<SymbolScope>();
  ModelContext context{
      limits,
      symbols,
      DimNames(symbols),
      TensorReader(folder, slim ? BulkData{file, std::move(slim->taken)} : BulkData{}),
      Functions(model),
      model.ir_version(),
      names};
  return build_model(*model.mutable_graph(), context, environment);
}

}  // namespace

hir::InferenceModel load(const std::filesystem::path& path, const Limits& limits) {
  try {
    const auto file = std::make_shared<const MappedFile>(path);
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    return build(file->bytes(), file, folder, limits);
  } catch (Error& error) {
    throw error.in(cat("while loading ", path.string()));
  }
}

hir::InferenceModel load(Bytes bytes, const std::filesystem::path& folder, const Limits& limits) {
  return build(bytes, nullptr, folder, limits);
}

}  // namespace strata::onnx
