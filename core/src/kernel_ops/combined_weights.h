#pragma once

#include <optional>
#include <vector>

#include "strata/core/ops/binary.h"

namespace strata {

/// A number for each channel.
using ChannelNumbers = std::vector<float>;

/// f32 `tensor` with each number added to, multiplied or divided by that of its channel, along
/// `axis`; nothing when a result would not be finite. Large products are computed when they are
/// first read.
std::optional<Tensor> combined(const Tensor& tensor, std::size_t axis, BinaryOp op,
                               const ChannelNumbers& channels);

}  // namespace strata
