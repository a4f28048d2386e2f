#pragma once

#include <string>
#include <vector>

#include "strata/core/ops/all.h"
#include "strata/core/typed_model.h"
#include "strata/opl/ast.h"

namespace strata::opl {

class Invocation;
class GraphWriter;

/// The form every core op has: `strata_<op>(input, …, attribute = value, …)`, and `own_<op>(…)` the
/// user's.
///
/// Attributes that have their default value are left out; a body is the name of a fragment, a
/// tensor the name of a constant. Throws: unsupported for an op that is neither.
Expression default_form(const NodeView& node, GraphWriter& writer);

/// Whether `fragment` is the default form of some op.
bool is_default_form(std::string_view fragment, std::span<const OpEntry> own);
OutletIds read_default_form(Invocation& call);
std::vector<std::string> default_form_names();

}  // namespace strata::opl
