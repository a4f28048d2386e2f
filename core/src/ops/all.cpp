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

// One sorted line an op.
constexpr OpEntry kOps[] = {
    op_entry<Activation>(),
    op_entry<AffineGrid>(),
    op_entry<ArgReduce>(),
    op_entry<Binary>(),
    op_entry<BitCast>(),
    op_entry<Cast>(),
    op_entry<Col2Im>(),
    op_entry<Compress>(),
    op_entry<Concat>(),
    op_entry<ConcatFromSequence>(),
    op_entry<Conv>(),
    op_entry<CouplePairs>(),
    op_entry<Cumulate>(),
    op_entry<Deconv>(),
    op_entry<DeformConv>(),
    op_entry<Dequantize>(),
    op_entry<Det>(),
    op_entry<Dft>(),
    op_entry<Dropout>(),
    op_entry<Einsum>(),
    op_entry<Expand>(),
    op_entry<EyeLike>(),
    op_entry<Gather>(),
    op_entry<GatherElements>(),
    op_entry<GatherNd>(),
    op_entry<GridSample>(),
    op_entry<If>(),
    op_entry<ImageDecoder>(),
    op_entry<LabelEncoder>(),
    op_entry<LayerNorm>(),
    op_entry<Loop>(),
    op_entry<Lrn>(),
    op_entry<MatMul>(),
    op_entry<MaxUnpool>(),
    op_entry<MelWeightMatrix>(),
    op_entry<Multinomial>(),
    op_entry<NonMaxSuppression>(),
    op_entry<NonZero>(),
    op_entry<OneHot>(),
    op_entry<OptionalGet>(),
    op_entry<OptionalHas>(),
    op_entry<OptionalOf>(),
    op_entry<Pad>(),
    op_entry<Pool>(),
    op_entry<Quantize>(),
    op_entry<Random>(),
    op_entry<Range>(),
    op_entry<Reduce>(),
    op_entry<RegexFullMatch>(),
    op_entry<Reshape>(),
    op_entry<Resize>(),
    op_entry<ReverseSequence>(),
    op_entry<RoiAlign>(),
    op_entry<RoiPool>(),
    op_entry<ScatterElements>(),
    op_entry<ScatterNd>(),
    op_entry<Select>(),
    op_entry<SequenceAt>(),
    op_entry<SequenceConstruct>(),
    op_entry<SequenceErase>(),
    op_entry<SequenceInsert>(),
    op_entry<SequenceLength>(),
    op_entry<ShapeOf>(),
    op_entry<SizeOf>(),
    op_entry<Slice>(),
    op_entry<Softmax>(),
    op_entry<Split>(),
    op_entry<SplitToSequence>(),
    op_entry<Squeeze>(),
    op_entry<StringConcat>(),
    op_entry<StringNormalizer>(),
    op_entry<StringSplit>(),
    op_entry<TensorScatter>(),
    op_entry<TfIdf>(),
    op_entry<Tile>(),
    op_entry<TopK>(),
    op_entry<Transpose>(),
    op_entry<TreeEnsemble>(),
    op_entry<Trilu>(),
    op_entry<Unary>(),
    op_entry<Unique>(),
    op_entry<Unsqueeze>(),
};

}  // namespace

std::span<const OpEntry> core_ops() { return kOps; }

const OpEntry* find_core_op(std::string_view name) {
  const auto at = std::find_if(std::begin(kOps), std::end(kOps),
                               [&](const OpEntry& e) { return e.name == name; });
  return at == std::end(kOps) ? nullptr : at;
}

}  // namespace strata
