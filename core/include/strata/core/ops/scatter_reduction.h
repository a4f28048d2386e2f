#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace strata {

/// How an update joins the element that is there already.
enum class ScatterReduction { none, add, mul, max, min };

constexpr auto enumerators(ScatterReduction) {
  using enum ScatterReduction;
  return std::array<std::pair<ScatterReduction, std::string_view>, 5>{
      {{none, "none"}, {add, "add"}, {mul, "mul"}, {max, "max"}, {min, "min"}}};
}

}  // namespace strata
