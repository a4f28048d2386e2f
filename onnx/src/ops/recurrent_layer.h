#pragma once

#include <initializer_list>

#include "strata/hir/ops/recurrent.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {

/// The attributes that LSTM, GRU and RNN share; `functions` are those of a direction when none are
/// given.
hir::RecurrentLayer parse_recurrent(NodeArgs& node,
                                    std::initializer_list<hir::GateFunctionKind> functions);

}  // namespace strata::onnx
