#pragma once

#include <vector>

#include "strata/hir/inference_model.h"

/// Bodies that may never run, and may be wrong for the values that they would take then.
namespace strata::hir {

/// Whether bodies nest so deeply in this one that it is tried only once: several tries at each
/// level would take time exponential in the depth.
bool nests_deep(const InferenceModel& body);

/// The facts of values for a body that they do not fit: from `first` on, all but constants have
/// open shapes.
std::vector<Fact> opened(std::vector<Fact> values, std::size_t first = 0);

/// The same with nothing known but types.
std::vector<Fact> unknown(std::vector<Fact> values, std::size_t first = 0);

/// Expands a body that is known never to run: for these values or, where that fails, for values of
/// which less is known from `first` on. Throws the first failure if all tries fail.
template <class Expand>
auto expand_unused(const InferenceModel& body, const std::vector<Fact>& values, std::size_t first,
                   const Expand& expand_for) {
  try {
    return expand_for(values);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_model || nests_deep(body)) throw;
    for (const auto& less_known : {opened(values, first), unknown(values, first)}) {
      try {
        return expand_for(less_known);
      } catch (const Error&) {  // the first failure says more
      }
    }
    throw;
  }
}

}  // namespace strata::hir
