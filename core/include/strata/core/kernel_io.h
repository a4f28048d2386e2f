#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "strata/core/datum_type.h"
#include "strata/core/tensor.h"

namespace strata {

class SharingGain;
class Workers;

/// Memory a kernel reads: the elements and the shape.
struct TensorView {
  const std::byte* data = nullptr;
  DatumType dtype = DatumType::f32;
  Shape shape;
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data);
  }
};

/// Memory a kernel writes.
struct MutableTensorView {
  std::byte* data = nullptr;
  DatumType dtype = DatumType::f32;
  Shape shape;
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

/// All a kernel may touch: its inputs, its outputs and `scratch_bytes` of aligned scratch memory.
struct KernelIo {
  std::span<const TensorView> inputs;
  std::span<const MutableTensorView> outputs;
  std::byte* scratch = nullptr;
  Workers* workers = nullptr;   ///< threads to share the work with; null for one thread
  SharingGain* gain = nullptr;  ///< records what sharing the work gains; null if nobody asks
  std::uint32_t turn = 0;       ///< counts the runs of a step in a frame; must not change results
};

}  // namespace strata
