#include "plan_sections.h"

#include <algorithm>
#include <set>

#include "frame_values.h"
#include "kernel_ops/view_kernel.h"
#include "node_facts.h"

namespace strata {
namespace {

using Schedule = Plan::Schedule;

/// The fewest steps that do work, views excepted, for which a frame is worth having.
constexpr std::size_t kLeastWork = 2;

/// Cuts a plan where sizes are not known ahead: where a symbol comes up that no earlier value has.
class Cutter {
 public:
  explicit Cutter(const Plan& plan) : plan_(plan), schedule_(plan.schedule()) {}

  std::vector<PlanSection> run() {
    for (const std::uint32_t v : schedule_.inputs) note_symbols(v);
    for (std::size_t s = 0; s < schedule_.steps.size(); ++s) {
      if (!has_known_sizes(schedule_.steps[s])) end_section(s);
      for (const std::uint32_t v : schedule_.steps[s].outputs) note_symbols(v);
    }
    end_section(schedule_.steps.size());
    return std::move(out_);
  }

 private:
  const Fact& fact_of(std::uint32_t v) const {
    return plan_.model().fact(schedule_.values[v].outlet);
  }

  void note_symbols(std::uint32_t v) {
    if (!is_placeable(fact_of(v))) return;
    for (const Dim& dim : fact_of(v).shape.dims())
      for (const std::string& symbol : dim.symbols()) symbols_.insert(symbol);
  }

  bool has_known_size(std::uint32_t v) const {
    if (!is_placeable(fact_of(v))) return false;
    const auto is_known = [&](const std::string& symbol) { return symbols_.contains(symbol); };
    return std::ranges::all_of(fact_of(v).shape.dims(), [&](const Dim& dim) {
      return std::ranges::all_of(dim.symbols(), is_known);
    });
  }

  /// Whether the sizes of all that the step reads and makes are known before it runs.
  bool has_known_sizes(const Schedule::Step& step) const {
    return std::ranges::all_of(step.outputs, [&](std::uint32_t v) { return has_known_size(v); }) &&
           std::ranges::all_of(step.inputs, [&](std::uint32_t v) {
             return schedule_.values[v].persistent || has_known_size(v);
           });
  }

  /// Whether the steps do enough work for a frame, and are not the whole plan, which has none.
  bool is_worth_it(std::size_t first, std::size_t end) const {
    const std::span steps = std::span(schedule_.steps).subspan(first, end - first);
    const auto is_work = [&](const Schedule::Step& step) {
      return !plan_.model().node(step.node).op.as<ViewKernel>();
    };
    return steps.size() < schedule_.steps.size() &&
           std::ranges::count_if(steps, is_work) >= std::ptrdiff_t{kLeastWork};
  }

  /// Ends the section before step `s`, which belongs to no section (or is the end of the plan).
  void end_section(std::size_t s) {
    if (is_worth_it(first_, s)) out_.push_back(section(first_, s));
    first_ = s + 1;
  }

  PlanSection section(std::size_t first, std::size_t end) const;

  const Plan& plan_;
  const Schedule& schedule_;
  std::set<std::string, std::less<>> symbols_;  ///< of all values so far
  std::size_t first_ = 0;                       ///< step that the section begins with
  std::vector<PlanSection> out_;
};

/// Copies the steps of a section into a model of their own.
class SectionWriter {
 public:
  SectionWriter(const Plan& plan, std::size_t first, std::size_t end)
      : plan_(plan),
        schedule_(plan.schedule()),
        model_(std::make_shared<SymbolScope>(*plan.model().symbol_scope())),
        wires_(schedule_.values.size(), kAbsent) {
    out_.first = first;
    out_.end = end;
  }

  PlanSection run() {
    for (std::size_t s = out_.first; s < out_.end; ++s) copy(schedule_.steps[s]);
    for (std::size_t s = out_.first; s < out_.end; ++s)
      for (const std::uint32_t v : schedule_.steps[s].outputs)
        if (schedule_.values[v].last_read >= out_.end || schedule_.values[v].is_output)
          add_output(v);
    for (const std::uint32_t v : out_.inputs)
      if (schedule_.values[v].last_read < out_.end && !schedule_.values[v].is_output)
        out_.frees.push_back(v);
    model_.set_target(plan_.model().target());
    out_.plan = Plan::build(std::move(model_), plan_.limits());
    return std::move(out_);
  }

 private:
  void copy(const Schedule::Step& step) {
    const TypedNode& node = plan_.model().node(step.node);
    OutletIds in;
    for (const std::uint32_t v : step.inputs) in.push_back(wire_of(v));
    const std::uint32_t id =
        model_.add_node_like(node.name, node.op, std::move(in), facts_of(node));
    for (std::uint32_t slot = 0; slot < step.outputs.size(); ++slot)
      wires_[step.outputs[slot]] = {id, slot};
  }

  /// A value in the section's model. One that is made outside becomes a constant or an input of it.
  OutletId wire_of(std::uint32_t v) {
    if (!wires_[v].is_absent()) return wires_[v];
    const TypedNode& maker = plan_.model().node(schedule_.values[v].outlet.node);
    const Fact& fact = plan_.model().fact(schedule_.values[v].outlet);
    if (schedule_.values[v].persistent)
      return wires_[v] = {model_.add_node_like(maker.name, maker.op, {}, {fact}), 0};
    out_.inputs.push_back(v);
    return wires_[v] = model_.add_source(model_.unique_name(maker.name), as_input(fact));
  }

  /// The fact of an input. A symbol that an earlier input has becomes a fresh one: that two sizes
  /// are equal is what rules inferred, and kernels that rely on it must check it.
  Fact as_input(const Fact& fact) {
    Fact out = fact.without_value();
    std::vector<Dim> dims = out.shape.dims();
    for (Dim& dim : dims) {
      const std::string* symbol = dim.as_symbol();
      if (symbol && !symbols_.insert(*symbol).second) dim = model_.symbols().fresh();
    }
    out.shape = std::move(dims);
    return out;
  }

  void add_output(std::uint32_t v) {
    out_.outputs.push_back(v);
    model_.add_output(cat(out_.outputs.size()), wires_[v]);
  }

  const Plan& plan_;
  const Schedule& schedule_;
  TypedModel model_;
  std::vector<OutletId> wires_;  ///< of the plan's values, in the section's model
  std::set<std::string, std::less<>> symbols_;
  PlanSection out_;
};

PlanSection Cutter::section(std::size_t first, std::size_t end) const {
  return SectionWriter(plan_, first, end).run();
}

}  // namespace

std::vector<PlanSection> sections_of(const Plan& plan) { return Cutter(plan).run(); }

}  // namespace strata
