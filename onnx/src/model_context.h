#pragma once

#include <memory>

#include "functions.h"
#include "graph_names.h"
#include "message_arena.h"
#include "op_kinds.h"
#include "strata/core/limits.h"
#include "strata/hir/inference_model.h"
#include "tensor_proto.h"
#include "type_proto.h"

namespace strata::onnx {

/// What all graphs of one file share while it is loaded.
struct ModelContext {
  const Limits& limits;
  MessageArena& arena;
  std::shared_ptr<SymbolScope> symbols;
  DimNames dim_names;
  TensorReader tensors;
  Functions functions;
  std::int64_t ir_version;
  GraphNames& names;
  OpKinds kinds;
  std::int64_t nodes = 0;  ///< made so far, those of inlined functions included
};

}  // namespace strata::onnx
