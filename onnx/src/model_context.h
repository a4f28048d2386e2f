#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "functions.h"
#include "node_order.h"
#include "strata/core/limits.h"
#include "strata/hir/inference_model.h"
#include "strata/onnx/registry.h"
#include "tensor_proto.h"
#include "type_proto.h"

namespace strata::onnx {

/// An op type, its domain, and the opset, 0 when none is imported.
using OpKey = std::tuple<std::string, std::string, int>;
struct OpKeyOrder {
  using is_transparent = void;
  using View = std::tuple<std::string_view, std::string_view, int>;
  bool operator()(const View& a, const View& b) const { return a < b; }
};

/// What nodes of one key have in common.
struct OpKind {
  const Registry::Entry* entry;  ///< null when the registry does not have it
  std::shared_ptr<const hir::Origin> origin;
};

/// What all graphs of one file share while it is loaded.
struct ModelContext {
  const Limits& limits;
  std::shared_ptr<SymbolScope> symbols;
  DimNames dim_names;
  TensorReader tensors;
  Functions functions;
  std::int64_t ir_version;
  CapturedNames& captured;
  std::map<OpKey, OpKind, OpKeyOrder> kinds = {};  ///< met so far
  std::int64_t nodes = 0;  ///< made so far, those of inlined functions included
};

}  // namespace strata::onnx
