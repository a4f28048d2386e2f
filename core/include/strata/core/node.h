#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "strata/core/small_vector.h"

/// What a graph (graph.h) is made of.
namespace strata {

/// A wire: output `slot` of node `node`. The sentinel `kAbsent` stands for an optional input that
/// is left out.
struct OutletId {
  std::uint32_t node = UINT32_MAX;
  std::uint32_t slot = 0;
  auto operator<=>(const OutletId&) const = default;
  bool is_absent() const { return node == UINT32_MAX; }
};
inline constexpr OutletId kAbsent{};
using OutletIds = SmallVector<OutletId, 4>;

/// Input `slot` of node `node`.
struct InletId {
  std::uint32_t node = 0;
  std::uint32_t slot = 0;
  auto operator<=>(const InletId&) const = default;
};
using InletIds = SmallVector<InletId, 2>;

template <class Fact>
struct Outlet {
  static constexpr std::uint32_t kNoOutput = UINT32_MAX;

  Fact fact;
  InletIds successors;
  std::uint32_t first_output = kNoOutput;  ///< of the graph's outputs that read it
};

template <class Fact, class Op>
struct Node {
  std::string name;
  Op op;
  OutletIds inputs;
  std::vector<Outlet<Fact>> outputs;
  bool erased = false;
  bool is_stale = false;  ///< an input's fact changed since the outputs' were inferred
  bool is_input = false;  ///< an outlet of it is an input of the graph
  SmallVector<std::uint32_t, 4> places;  ///< of this node among the readers of each input
};

struct GraphOutput {
  std::string name;
  OutletId outlet;
};

}  // namespace strata
