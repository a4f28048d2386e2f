#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "known_operands.h"
#include "plan.h"
#include "shape_binding.h"

namespace strata {

/// Whether `value` is what `fact` promises. Allocates nothing for tensors.
bool fits(const Fact& fact, const Value& value);
/// What in a sequence or an optional is not what its fact promises, as `item 2 is u8[3]`; nothing
/// where all of it is.
std::optional<std::string> misfit_within(const Fact& fact, const Value& value);
/// `f32[2,3]` or `sequence(tensor(i64))`: a value as messages show it.
std::string description(const Value& value);

class Runner;

/// Runs a plan value by value: any kind of value, of any size. Each step makes new values, and a
/// value is released after its last reader. Sections whose sizes are known once the values before
/// them are there run as frames, which share their memory.
class Interpreter {
 public:
  /// `states` are those of the plan's steps, `symbols` the sizes that follow from the inputs of
  /// each run. Both outlive the interpreter.
  Interpreter(const Plan& plan, std::span<const std::unique_ptr<OpState>> states,
              const SymbolValues& symbols);
  ~Interpreter();
  /// Throws: run_time, limit, cancelled, naming the node.
  ValueList run(RunContext& context, Values inputs);
  void release_memory();

 private:
  struct Section;

  ValueList run_steps(RunContext& context, Values inputs);
  void run_section(RunContext& context, Section& section);
  void run_step(RunContext& context, std::size_t step);
  void compute(RunContext& context, std::size_t step);
  ValueList outputs_of(RunContext& context, std::size_t step, Values in);
  ValueList computed(RunContext& context, std::size_t step, Values in);
  void check_made(std::uint32_t v, const Value& value) const;
  ValueList results();

  const Plan& plan_;
  const Plan::Schedule& schedule_;
  std::span<const std::unique_ptr<OpState>> states_;
  const SymbolValues& symbols_;
  std::vector<Value> values_;
  std::vector<Section> sections_;                        ///< in order
  std::map<std::size_t, KnownOperands> known_operands_;  ///< of steps that may have them
};

}  // namespace strata
