#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Runtime's GatherBlockQuantized: rows of a table that is quantised in blocks along its last
/// axis, as floats.
///
/// Inputs the table [rows, columns], the rows to pick, the scale of each block, and its zero point,
/// which may be left out. The elements of a table of u8, and its zero points, fill each byte from
/// its low bits up; zero points left out are the middle of the range there, and 0 for a table of
/// another type.
struct GatherBlockQuantized {
  static constexpr std::string_view name = "GatherBlockQuantized";
  std::int64_t bits = 4;  ///< of a table of u8: 4 or 8
  std::int64_t block_size = 128;

  static constexpr auto attributes() {
    return std::tuple{attr("bits", &GatherBlockQuantized::bits),
                      attr("block_size", &GatherBlockQuantized::block_size)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<GatherBlockQuantized>);

}  // namespace strata::hir
