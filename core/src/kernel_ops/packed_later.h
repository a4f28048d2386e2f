#pragma once

#include "deferred_tensor.h"
#include "kernel_ops/kernel_op.h"

namespace strata {

/// Constant weights as a kernel wants them: `size` floats, which `pack(weights, packed)` writes
/// when they are first read. The same key and weights must give the same floats.
template <class Pack>
Tensor packed_later(std::string key, const Tensor& weights, std::int64_t size, Pack pack) {
  const auto fill = [pack](const std::vector<Tensor>& sources, RowRange, std::byte* packed) {
    pack(sources.front(), reinterpret_cast<float*>(packed));
  };
  return deferred(DatumType::f32, {size},
                  {.key = std::move(key), .sources = {weights}, .fill = fill});
}

}  // namespace strata
