#include "strata/core/ops/all.h"

#include <algorithm>

#include "strata/core/ops/activation.h"
#include "strata/core/ops/arg_reduce.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/bit_cast.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/cumulate.h"
#include "strata/core/ops/deconv.h"
#include "strata/core/ops/dropout.h"
#include "strata/core/ops/einsum.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/lrn.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/max_unpool.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/unary.h"
// One sorted include an op.

namespace strata {
namespace {

template <class Op>
constexpr OpEntry entry() {
  return {Op::name, [](const AttrList& attributes) { return TypedOp(op_from_attributes<Op>(attributes)); }};
}

// One sorted line an op.
constexpr OpEntry kOps[] = {
    entry<Activation>(),
    entry<ArgReduce>(),
    entry<Binary>(),
    entry<BitCast>(),
    entry<Cast>(),
    entry<Concat>(),
    entry<Conv>(),
    entry<Cumulate>(),
    entry<Deconv>(),
    entry<Dequantize>(),
    entry<Dropout>(),
    entry<Einsum>(),
    entry<If>(),
    entry<LayerNorm>(),
    entry<Loop>(),
    entry<Lrn>(),
    entry<MatMul>(),
    entry<MaxUnpool>(),
    entry<Pool>(),
    entry<Quantize>(),
    entry<Reduce>(),
    entry<Select>(),
    entry<Softmax>(),
    entry<Unary>(),
};

}  // namespace

std::span<const OpEntry> core_ops() { return kOps; }

const OpEntry* find_core_op(std::string_view name) {
  const auto at = std::find_if(std::begin(kOps), std::end(kOps), [&](const OpEntry& e) { return e.name == name; });
  return at == std::end(kOps) ? nullptr : at;
}

}  // namespace strata
