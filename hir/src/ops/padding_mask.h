#pragma once

#include "strata/hir/builder.h"

/// The masks of integers that ONNX Runtime's attention ops take.
namespace strata::hir {

/// What a mask of one axis holds of each batch element: the end of its keys, after which more may
/// come that means nothing; or the ends of all, then the beginnings of all, if it is so long.
enum class EndsMask { ends, ends_and_beginnings };

/// What is added to products [batch, heads, steps, keys] for `mask`: 0, or `hidden` for a key it
/// hides. `batch` has the batch on its first axis and the type of the products; `keys` is a vector
/// of one element. Absent where the mask tells nothing apart. Throws: unsupported for a mask of no
/// or more than three axes.
OutletId mask_bias(Builder& b, OutletId mask, OutletId batch, OutletId keys, double hidden,
                   EndsMask kind);

}  // namespace strata::hir
