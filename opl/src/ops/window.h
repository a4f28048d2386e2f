#pragma once

#include "ops/support.h"
#include "strata/core/ops/spatial.h"

/// How NNEF writes windows: of convolutions over the spatial axes alone, of poolings over all axes.
namespace strata::opl {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The padding of a window in NNEF's form: pairs, empty for "same"; none where it has no such form.
///
/// The sizes must be known where the padding depends on them.
std::optional<Pairs> window_padding(const WindowSpec& window, const ShapeFact& x,
                                    const Shape& kernel);

/// `window_padding` read back: no pairs stand for "same".
Padding padding_of(const Pairs& pairs);

/// Ones for an empty list.
Shape ones_or(const Shape& list, std::size_t count);

}  // namespace strata::opl
