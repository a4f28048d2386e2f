#include "strata/hir/inference_model.h"
#include "strata/hir/ops/attention.h"
#include "strata/hir/ops/group_query_attention.h"
#include "strata/hir/ops/multi_head_attention.h"
#include "strata/hir/ops/skip_normalization.h"
#include "support/integers.h"
#include "support/optimised.h"

/// What ops expand into is what the rules of kernels look for.
namespace strata::tests {
namespace {

using namespace hir;

/// The op on these values, decluttered; nothing for an input that is left out.
TypedModel expanded(const InferenceOp& op, const std::vector<std::optional<Tensor>>& inputs) {
  InferenceModel model;
  OutletIds wires;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    wires.push_back(
        inputs[i]
            ? model.add_source(cat("in", i), InferenceFact(Fact::of(*inputs[i]).without_value()))
            : kAbsent);
  const std::uint32_t id = model.add_node("node", op, wires, std::vector<InferenceFact>(1));
  model.add_output("out", {id, 0});
  model.analyse();
  TypedModel typed = model.to_typed();
  declutter(typed);
  return typed;
}

/// How many kernels of this name the op becomes; its result stays as it was.
std::size_t kernels(const InferenceOp& op, const std::vector<std::optional<Tensor>>& inputs,
                    std::string_view name) {
  TypedModel model = expanded(op, inputs);
  ValueList given;
  for (const auto& input : inputs)
    if (input) given.push_back(*input);
  optimise_and_compare(model, given, "", 1e-6);
  return count_of_op(model, name);
}

}  // namespace

TEST_SUITE("hir ops as kernels") {
  TEST_CASE("attention whose heads share keys is one kernel") {
    Attention op;
    op.right_window = 0;
    const Tensor keys = uniform_floats({2, 2, 5, 8});
    CHECK(kernels(op, {uniform_floats({2, 6, 5, 8}), keys, keys}, "AttentionKernel") == 1);
    for (const Shape& mask : {Shape{5, 5}, Shape{2, 1, 5, 5}, Shape{2, 6, 5, 5}})
      CHECK(kernels(op, {uniform_floats({2, 6, 5, 8}), keys, keys, uniform_floats(mask)},
                    "AttentionKernel") == 1);
  }

  TEST_CASE("attention with a mask of integers is one kernel") {
    MultiHeadAttention op;
    op.attention.heads = 2;
    const Tensor x = uniform_floats({2, 3, 8});
    CHECK(kernels(op, {x, x, x, std::nullopt, numbers({2, 3}, {1, 1, 0, 1, 1, 1})},
                  "AttentionKernel") == 1);
  }

  TEST_CASE("a step over a cache is one kernel of attention") {
    GroupQueryAttention op;
    op.heads = 4;
    op.key_heads = 2;
    const Tensor now = uniform_floats({2, 1, 16}), past = uniform_floats({2, 2, 5, 8});
    CHECK(kernels(op,
                  {uniform_floats({2, 1, 32}), now, now, past, past, numbers({2}, {3, 1}),
                   numbers({}, {4})},
                  "AttentionKernel") == 1);
  }

  TEST_CASE("the norm of a sum is one kernel") {
    const Tensor x = uniform_floats({2, 3, 8}), row = uniform_floats({8});
    for (const SkipNorm kind : {SkipNorm::layer, SkipNorm::rms})
      CHECK(kernels(SkipNormalization{kind, 1e-5F}, {x, x, row, row}, "NormKernel") == 1);
  }
}

}  // namespace strata::tests
