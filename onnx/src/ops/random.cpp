#include "strata/core/ops/random.h"

#include "ops/all.h"
#include "ops/named.h"
#include "strata/core/ops/multinomial.h"
#include "strata/hir/ops/bernoulli.h"
#include "strata/hir/ops/random_like.h"
#include "strata/hir/ops/with_operands.h"

namespace strata::onnx {
namespace {

Random parse_distribution(NodeArgs& node) {
  Random op;
  if (node.op_type().find("Normal") != std::string_view::npos) {
    op.distribution = RandomDistribution::normal;
    op.location = node.number("mean", 0);
    op.scale = node.number("scale", 1);
  } else {
    op.location = node.number("low", 0);
    op.scale = node.number("high", 1) - op.location;
  }
  op.seed = node.number("seed");
  return op;
}

hir::InferenceOp parse_random(NodeArgs& node) {
  node.expect_inputs(0, 0);
  Random op = parse_distribution(node);
  op.dtype = node.dtype("dtype", DatumType::f32);
  return hir::WithOperands{op, {integers_tensor(node.required_integers("shape"))}};
}

hir::InferenceOp parse_random_like(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::RandomLike{parse_distribution(node), node.dtype("dtype")};
}

hir::InferenceOp parse_bernoulli(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Bernoulli{node.dtype("dtype"), node.number("seed")};
}

hir::InferenceOp parse_multinomial(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Direct{Multinomial{node.integer("sample_size", 1),
                                 node.dtype("dtype", DatumType::i32), node.number("seed")}};
}

}  // namespace

void register_random(Registry& r) {
  r.add("Bernoulli", {15, 22}, parse_bernoulli);
  r.add("Multinomial", {7, 22}, parse_multinomial);
  r.add("RandomNormal", {1, 22}, parse_random);
  r.add("RandomNormalLike", {1, 22}, parse_random_like);
  r.add("RandomUniform", {1, 22}, parse_random);
  r.add("RandomUniformLike", {1, 22}, parse_random_like);
}

}  // namespace strata::onnx
