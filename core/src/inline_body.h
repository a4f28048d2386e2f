#pragma once

#include <map>
#include <string>

#include "strata/core/typed_model.h"

namespace strata {

/// Copies the nodes of a body into a model it is inlined in, once or many times. Constants are
/// copied once.
class BodyInliner {
 public:
  explicit BodyInliner(const TypedModel& body) : body_(body), order_(body.order()) {}

  /// The body's outputs for these values of its inputs; new nodes are named `prefix.<name in the
  /// body>`.
  OutletIds inline_into(Wiring& target, const OutletIds& inputs, const std::string& prefix);

 private:
  const TypedModel& body_;
  std::vector<std::uint32_t> order_;
  std::map<std::uint32_t, OutletId> constants_;
};

}  // namespace strata
