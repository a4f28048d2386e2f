#pragma once

#include <initializer_list>
#include <vector>

#include "strata/core/typed_op.h"

namespace strata::tests {

/// The facts `op` gives its outputs for inputs of these facts.
FactList facts_of(const TypedOp& op, const std::vector<Fact>& inputs);

/// Checks that `op` refuses inputs of these facts with a message that holds `tag`.
void check_refused(const TypedOp& op, const std::vector<Fact>& inputs, const char* tag);

/// Checks `op` on these values in all ways it can be run: its facts promise shapes and types that
/// `eval` keeps, also when dims are symbolic or shapes open; `eval` gives `expected` (floats to
/// 1e-5 relative, the rest exactly).
void check_op(const TypedOp& op, const ValueList& inputs, const ValueList& expected);

/// Checks two values: floats to `relative` and `absolute` tolerance, all else exactly.
void check_close(const Value& actual, const Value& expected, double relative = 1e-5,
                 double absolute = 1e-7);
/// Checks that there are as many values as expected, and each of them by `check_close`.
void check_all_close(const ValueList& actual, const ValueList& expected, double relative = 1e-5,
                     double absolute = 1e-7);

}  // namespace strata::tests
