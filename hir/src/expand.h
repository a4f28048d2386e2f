#pragma once

#include <string>

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// Whether the node is a constant of the file.
bool is_constant(const InferenceNode& node);

/// As unify, but the error says only what differs.
InferenceFact merge(const InferenceFact& a, const InferenceFact& b);
/// Whether `known` says all that `other` does, so that unifying them would leave it as it is.
bool covers(const InferenceFact& known, const InferenceFact& other);
bool covers(const InferenceFact& known, const Fact& other);

/// Throws: invalid_model, naming both facts and the node that makes the wire, if `found`
/// contradicts what the file declares of it.
void check_declared(const InferenceModel& model, const Declaration& declared,
                    const InferenceFact& found);

/// Expands one node into `target`. Outputs that have no name, and that the op does not have, are
/// absent.
/// Throws: as the op's wire does.
OutletIds wire_node(const InferenceModel& model, std::uint32_t id, Wiring& target,
                    const OutletIds& inputs);

}  // namespace strata::hir
