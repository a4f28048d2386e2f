#pragma once

#include <vector>

#include "strata/hir/inference_model.h"

/// Bodies that may never run, and may be wrong for the values that they would take then.
namespace strata::hir {

/// Whether bodies nest so deep in this one that it is tried only once: more tries at each level
/// would take time exponential in the depth.
bool nests_deep(const InferenceModel& body);

/// The values that a body takes, as one sees them that they do not fit: from `first` on constants,
/// and values of any shape.
std::vector<Fact> opened(std::vector<Fact> values, std::size_t first = 0);

/// The same, of which nothing is known but types.
std::vector<Fact> unknown(std::vector<Fact> values, std::size_t first = 0);

/// What `expand_for` gives for these values of a body that is known never to run: where it cannot
/// be for them, for values of which less is known from `first` on. Throws what it throws for these
/// where it throws for all.
template <class Expand>
auto expand_unused(const InferenceModel& body, const std::vector<Fact>& values, std::size_t first,
                   const Expand& expand_for) {
  try {
    return expand_for(values);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_model || nests_deep(body)) throw;
    try {
      return expand_for(opened(values, first));
    } catch (const Error&) {
    }
    try {
      return expand_for(unknown(values, first));
    } catch (const Error&) {
    }
    throw error;
  }
}

}  // namespace strata::hir
