#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "strata/core/cpu.h"
#include "strata/core/limits.h"
#include "strata/core/patch.h"

namespace strata {

/// Whether convolutions and their transposes may use Winograd's algorithm, which makes fewer
/// products and several times larger rounding errors (docs/kernels.md).
enum class Winograd { automatic, never };

/// Whether rows multiplied by weights of 4 or 8 bits may be rounded to bytes, in blocks, which
/// takes a fraction of the time. `automatic`: where the model permits it (MatMul::may_round_a);
/// `always`: whatever it says.
enum class RowRounding { automatic, never, always };

/// The machine that kernels are chosen for.
struct Target {
  Isa isa = active_isa();
  Winograd winograd = Winograd::automatic;
  RowRounding rounding = RowRounding::automatic;
};

/// What a pass did: how often each rule fired.
struct RewriteReport {
  std::map<std::string, std::size_t> firings;
  void add(const RewriteReport& other) {
    for (const auto& [rule, count] : other.firings) firings[rule] += count;
  }
};

/// Brings the model into its simplest portable form: rules run from a worklist until none applies,
/// in bodies first. Throws: internal, named after the rule, when a rule breaks an invariant or the
/// step budget is spent.
RewriteReport declutter(TypedModel& model, const Limits& limits = {});
/// Replaces ops by kernels for `target`; the model is no longer portable then.
RewriteReport optimise(TypedModel& model, const Target& target = {}, const Limits& limits = {});

/// The names of the symbols that sizes of the inputs mention, sorted.
std::vector<std::string> input_symbols(const TypedModel& model);
/// The model with these sizes in place of symbols, in bodies as well. Every node is wired again, so
/// that its facts are inferred again; names that the model does not have are ignored. Sizes in
/// attributes of ops from outside this library are not replaced. Throws: invalid_model where an op
/// does not allow the sizes; invalid_argument where a size of an input becomes negative.
TypedModel concretize_dims(const TypedModel& model, const Dim::Bindings& sizes);
/// The model with inputs turned into constants: those for which `values`, one for each input, is
/// not null. Throws: invalid_model where an op does not take the value.
TypedModel with_constants(const TypedModel& model, std::span<const Value* const> values);

/// One rule across ops: its name in reports and what it does.
struct RewriteRule {
  std::string_view name;
  Rewrite (*apply)(const NodeView& node, const Limits& limits);
};

}  // namespace strata
