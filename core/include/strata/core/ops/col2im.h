#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Adds up columns, one for each place of a sliding window, into images: the transpose of cutting
/// windows out.
///
///   inputs   columns          T[batch, channels * product(block), windows]
///            image            integers[n]: sizes of the image
///            block            integers[n]: sizes of the window
///   output   T[batch, channels, image..]
///   source   ONNX Col2Im-18
///
///   (C1) columns are numbers of rank 3
///   (C2) image and block are integer vectors of one length, all above 0 and within 31 bits
///   (C3) strides, dilations and pads fit that length and 31 bits
///   (C4) as many columns as the window has places
struct Col2Im {
  static constexpr std::string_view name = "Col2Im";
  std::vector<std::int64_t> strides;    ///< empty: 1
  std::vector<std::int64_t> dilations;  ///< empty: 1
  std::vector<std::int64_t> pads;       ///< the amounts before, then those after; empty: 0

  static constexpr auto attributes() {
    return std::tuple{attr("strides", &Col2Im::strides), attr("dilations", &Col2Im::dilations),
                      attr("pads", &Col2Im::pads)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Col2Im>);

}  // namespace strata
