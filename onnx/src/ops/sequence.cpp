#include "ops/all.h"
#include "strata/core/ops/concat_from_sequence.h"
#include "strata/core/ops/sequence_at.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/ops/sequence_erase.h"
#include "strata/core/ops/sequence_insert.h"
#include "strata/core/ops/sequence_length.h"
#include "strata/core/ops/split_to_sequence.h"
#include "strata/hir/ops/constant.h"
#include "strata/hir/ops/sequence_map.h"

namespace strata::onnx {
namespace {

/// An op without attributes.
template <class Op, std::size_t least, std::size_t most>
hir::InferenceOp parse_plain(NodeArgs& node) {
  node.expect_inputs(least, most);
  return hir::Direct{Op{}};
}

hir::InferenceOp parse_sequence_empty(NodeArgs& node) {
  node.expect_inputs(0, 0);
  return hir::Constant{Sequence{ValueType::tensor(node.dtype("dtype", DatumType::f32)), {}}};
}

hir::InferenceOp parse_sequence_map(NodeArgs& node) {
  node.expect_inputs(1, SIZE_MAX);
  const Subgraph body = node.required_graph("body");
  check(body.own_inputs == node.input_count(), "the body of SequenceMap takes ",
        counted(body.own_inputs, "input"), ", the node ", node.input_count());
  check(body.model->outputs().size() == node.output_count(), "the body of SequenceMap has ",
        counted(body.model->outputs().size(), "output"), ", the node ", node.output_count());
  return hir::SequenceMap{body.model, body.captures};
}

hir::InferenceOp parse_split_to_sequence(NodeArgs& node) {
  node.expect_inputs(1, 2);
  return hir::Direct{SplitToSequence{node.integer("axis", 0), node.flag("keepdims", true)}};
}

hir::InferenceOp parse_concat_from_sequence(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const bool stacks = node.flag("new_axis", false);
  return hir::Direct{
      ConcatFromSequence{node.required_integer("axis"),
                         stacks ? SequenceJoin::new_axis : SequenceJoin::existing_axis}};
}

}  // namespace

void register_sequence(Registry& r) {
  r.add("ConcatFromSequence", {11}, parse_concat_from_sequence);
  r.add("SequenceAt", {11}, parse_plain<SequenceAt, 2, 2>);
  r.add("SequenceConstruct", {11}, parse_plain<SequenceConstruct, 1, SIZE_MAX>);
  r.add("SequenceEmpty", {11}, parse_sequence_empty);
  r.add("SequenceErase", {11}, parse_plain<SequenceErase, 1, 2>);
  r.add("SequenceInsert", {11}, parse_plain<SequenceInsert, 2, 3>);
  r.add("SequenceLength", {11}, parse_plain<SequenceLength, 1, 1>);
  r.add("SequenceMap", {17}, parse_sequence_map);
  r.add("SplitToSequence", {11, 24}, parse_split_to_sequence);
}

}  // namespace strata::onnx
