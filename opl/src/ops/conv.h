#pragma once

#include "ops/window.h"
#include "strata/core/ops/conv.h"

/// What the forms of convolutions share.
namespace strata::opl {

/// The op of an invocation; its input tells the groups of a depthwise one.
Conv conv_of(Invocation& call, OutletId input);
/// The size of an axis of the filter.
Dim filter_size(Invocation& call, OutletId filter, std::size_t axis);
/// A bias for each of `channels`; none where it is 0. NNEF's has the shape [1, M]; tract's [M], or
/// is a scalar.
std::optional<OutletId> read_bias(Invocation& call, DatumType type, const Dim& channels);

}  // namespace strata::opl
