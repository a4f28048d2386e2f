#pragma once

#include "strata/hir/builder.h"

/// The masks of integers that ONNX Runtime's attention ops take.
namespace strata::hir {

/// What is added to products [batch, heads, steps, keys] for `mask`: 0, or `hidden` for a key it
/// hides. `batch` has the batch on its first axis; `keys` is a vector of one element. Absent where the
/// mask tells nothing apart. Throws: unsupported when what the mask means cannot be told from shapes.
OutletId mask_bias(Builder& b, OutletId mask, OutletId batch, OutletId keys, double hidden,
                   DatumType type);

}  // namespace strata::hir
