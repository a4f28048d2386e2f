#pragma once

#include <string>

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// Whether the node is a constant of the file.
bool is_constant(const InferenceNode& node);

/// As unify, but the error says only what differs.
InferenceFact merge(const InferenceFact& a, const InferenceFact& b);
/// Whether `known` holds all that `told` says, so that unifying them would leave it as it is.
bool covers(const InferenceFact& known, const InferenceFact& told);
bool covers(const InferenceFact& known, const Fact& told);

/// Throws: invalid_model with both facts, and the node that gives the wire, when what is found of
/// it contradicts what the file declares.
void check_declared(const InferenceModel& model, const Declaration& declared,
                    const InferenceFact& found);

/// Expands one node into `target`; outputs without a name that the op does not have are absent.
/// Throws: as the op's wire does.
OutletIds wire_node(const InferenceModel& model, std::uint32_t id, Wiring& target,
                    const OutletIds& inputs);

}  // namespace strata::hir
