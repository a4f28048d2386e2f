#include "strata/core/ops/all.h"

#include <algorithm>

#include "strata/core/ops/activation.h"
#include "strata/core/ops/affine_grid.h"
#include "strata/core/ops/arg_reduce.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/bit_cast.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/col2im.h"
#include "strata/core/ops/compress.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/concat_from_sequence.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/couple_pairs.h"
#include "strata/core/ops/cumulate.h"
#include "strata/core/ops/deconv.h"
#include "strata/core/ops/deform_conv.h"
#include "strata/core/ops/det.h"
#include "strata/core/ops/dft.h"
#include "strata/core/ops/dropout.h"
#include "strata/core/ops/einsum.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/eye_like.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/gather_elements.h"
#include "strata/core/ops/gather_nd.h"
#include "strata/core/ops/grid_sample.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/image_decoder.h"
#include "strata/core/ops/label_encoder.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/lrn.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/max_unpool.h"
#include "strata/core/ops/mel_weight_matrix.h"
#include "strata/core/ops/multinomial.h"
#include "strata/core/ops/non_max_suppression.h"
#include "strata/core/ops/non_zero.h"
#include "strata/core/ops/one_hot.h"
#include "strata/core/ops/optional_get.h"
#include "strata/core/ops/optional_has.h"
#include "strata/core/ops/optional_of.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/random.h"
#include "strata/core/ops/range.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/regex_full_match.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/resize.h"
#include "strata/core/ops/reverse_sequence.h"
#include "strata/core/ops/roi_align.h"
#include "strata/core/ops/roi_pool.h"
#include "strata/core/ops/scatter_elements.h"
#include "strata/core/ops/scatter_nd.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/sequence_at.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/ops/sequence_erase.h"
#include "strata/core/ops/sequence_insert.h"
#include "strata/core/ops/sequence_length.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/size_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/split_to_sequence.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/string_concat.h"
#include "strata/core/ops/string_normalizer.h"
#include "strata/core/ops/string_split.h"
#include "strata/core/ops/tensor_scatter.h"
#include "strata/core/ops/tf_idf.h"
#include "strata/core/ops/tile.h"
#include "strata/core/ops/top_k.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/tree_ensemble.h"
#include "strata/core/ops/trilu.h"
#include "strata/core/ops/unary.h"
#include "strata/core/ops/unique.h"
#include "strata/core/ops/unsqueeze.h"
// One sorted include an op.

namespace strata {
namespace {

template <class Op>
constexpr OpEntry entry() {
  return {Op::name,
          [](const AttrList& attributes) { return TypedOp(op_from_attributes<Op>(attributes)); }};
}

// One sorted line an op.
constexpr OpEntry kOps[] = {
    entry<Activation>(),
    entry<AffineGrid>(),
    entry<ArgReduce>(),
    entry<Binary>(),
    entry<BitCast>(),
    entry<Cast>(),
    entry<Col2Im>(),
    entry<Compress>(),
    entry<Concat>(),
    entry<ConcatFromSequence>(),
    entry<Conv>(),
    entry<CouplePairs>(),
    entry<Cumulate>(),
    entry<Deconv>(),
    entry<DeformConv>(),
    entry<Dequantize>(),
    entry<Det>(),
    entry<Dft>(),
    entry<Dropout>(),
    entry<Einsum>(),
    entry<Expand>(),
    entry<EyeLike>(),
    entry<Gather>(),
    entry<GatherElements>(),
    entry<GatherNd>(),
    entry<GridSample>(),
    entry<If>(),
    entry<ImageDecoder>(),
    entry<LabelEncoder>(),
    entry<LayerNorm>(),
    entry<Loop>(),
    entry<Lrn>(),
    entry<MatMul>(),
    entry<MaxUnpool>(),
    entry<MelWeightMatrix>(),
    entry<Multinomial>(),
    entry<NonMaxSuppression>(),
    entry<NonZero>(),
    entry<OneHot>(),
    entry<OptionalGet>(),
    entry<OptionalHas>(),
    entry<OptionalOf>(),
    entry<Pad>(),
    entry<Pool>(),
    entry<Quantize>(),
    entry<Random>(),
    entry<Range>(),
    entry<Reduce>(),
    entry<RegexFullMatch>(),
    entry<Reshape>(),
    entry<Resize>(),
    entry<ReverseSequence>(),
    entry<RoiAlign>(),
    entry<RoiPool>(),
    entry<ScatterElements>(),
    entry<ScatterNd>(),
    entry<Select>(),
    entry<SequenceAt>(),
    entry<SequenceConstruct>(),
    entry<SequenceErase>(),
    entry<SequenceInsert>(),
    entry<SequenceLength>(),
    entry<ShapeOf>(),
    entry<SizeOf>(),
    entry<Slice>(),
    entry<Softmax>(),
    entry<Split>(),
    entry<SplitToSequence>(),
    entry<Squeeze>(),
    entry<StringConcat>(),
    entry<StringNormalizer>(),
    entry<StringSplit>(),
    entry<TensorScatter>(),
    entry<TfIdf>(),
    entry<Tile>(),
    entry<TopK>(),
    entry<Transpose>(),
    entry<TreeEnsemble>(),
    entry<Trilu>(),
    entry<Unary>(),
    entry<Unique>(),
    entry<Unsqueeze>(),
};

}  // namespace

std::span<const OpEntry> core_ops() { return kOps; }

const OpEntry* find_core_op(std::string_view name) {
  const auto at = std::find_if(std::begin(kOps), std::end(kOps),
                               [&](const OpEntry& e) { return e.name == name; });
  return at == std::end(kOps) ? nullptr : at;
}

}  // namespace strata
