#pragma once

#include <string>
#include <vector>

#include "strata/core/patch.h"
#include "strata/core/typed_model.h"

namespace strata {

/// Copies the nodes of a body into a model it is inlined in, once or many times. Constants are
/// copied once.
class BodyInliner {
 public:
  explicit BodyInliner(const TypedModel& body)
      : body_(body), order_(body.order()), constants_(body.nodes().size(), kAbsent) {}

  /// The body's outputs for these values of its inputs; new nodes are named `prefix.<name in the
  /// body>`.
  OutletIds inline_into(Patch& target, const OutletIds& inputs, const std::string& prefix);
  OutletIds inline_into(TypedModel& target, const OutletIds& inputs, const std::string& prefix);

 private:
  template <class Target>
  OutletIds copy_into(Target& target, const OutletIds& inputs, const std::string& prefix);

  const TypedModel& body_;
  std::vector<std::uint32_t> order_;
  std::vector<OutletId> constants_;  ///< by node of the body, once copied
};

}  // namespace strata
