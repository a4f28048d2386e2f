#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata {

/// The position of each wire among the inputs of a body, of which there may be thousands.
class InputPlaces {
 public:
  explicit InputPlaces(const TypedModel& body) : places_(body.nodes().size(), kNowhere) {
    for (std::size_t i = body.inputs().size(); i-- > 0;)
      places_[body.inputs()[i].node] = static_cast<std::uint32_t>(i);
  }

  /// Nothing for a wire that is no input.
  std::optional<std::size_t> of(OutletId wire) const {
    const std::uint32_t place = wire.node < places_.size() ? places_[wire.node] : kNowhere;
    return place == kNowhere ? std::nullopt : std::optional<std::size_t>(place);
  }

 private:
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  std::vector<std::uint32_t> places_;  ///< by node, as an input has one output
};

}  // namespace strata
