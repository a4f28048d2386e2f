#include "strata/hir/ops/scan.h"

#include <numeric>
#include <utility>

#include "declared_parts.h"
#include "guarded_body.h"
#include "loop_builder.h"
#include "strata/core/builder_arithmetic.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/support.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/hir/body.h"

namespace strata::hir {
namespace {

/// The fact of a slice of extent 1 along `axis`, with that axis or without it.
enum class SliceAxis { kept, dropped };
Fact slice_fact(const Fact& whole, std::int64_t axis, SliceAxis what) {
  check(whole.is_tensor(), "a ", whole.type(), " cannot be scanned");
  Fact out = whole.without_value();
  if (out.shape.is_open()) return out;
  std::vector<Dim> dims = out.shape.dims();
  const auto at = static_cast<std::ptrdiff_t>(normalized_axis(axis, dims.size()));
  if (what == SliceAxis::kept)
    dims[static_cast<std::size_t>(at)] = 1;
  else
    dims.erase(dims.begin() + at);
  out.shape = std::move(dims);
  return out;
}

bool has_no_slices(const Fact& whole, std::int64_t axis) {
  if (whole.shape.is_open()) return false;
  const std::vector<Dim>& dims = whole.shape.dims();
  return dims[static_cast<std::size_t>(normalized_axis(axis, dims.size()))] == Dim(0);
}

/// Makes what the body scans slices with their axis, which the body squeezes. `in` are the wires
/// outside.
void take_slices(TypedModel& body, const Scan& scan, const Builder& b, const OutletIds& in) {
  OutletIds inputs = body.inputs();
  for (std::size_t i = 0; i < scan.inputs.size(); ++i) {
    const std::int64_t axis = scan.inputs[i].axis;
    const OutletId old = inputs[scan.states + i];
    const std::string name = body.node(old.node).name;
    const OutletId slice =
        body.add_source(body.unique_name(cat(name, ".slice")),
                        slice_fact(b.fact(in[scan.states + i]), axis, SliceAxis::kept));
    const OutletId axes = body.constant(cat(name, ".axes"), Tensor::of<std::int64_t>({1}, {axis}));
    body.redirect(old, body.wire_one(cat(name, ".squeezed"), Squeeze{}, {slice, axes}));
    body.erase(old.node);
    inputs[scan.states + i] = slice;
  }
  body.set_inputs(std::move(inputs));
}

/// Gives what the body stacks the axis along which the loop joins it.
void give_slices(TypedModel& body, const Scan& scan) {
  std::vector<GraphOutput> outputs = body.outputs();
  for (std::size_t i = 0; i < scan.outputs.size(); ++i) {
    auto& [name, wire] = outputs[scan.states + i];
    const OutletId axes =
        body.constant(cat(name, ".axes"), Tensor::of<std::int64_t>({1}, {scan.outputs[i].axis}));
    wire = body.wire_one(cat(name, ".stacked"), Unsqueeze{}, {wire, axes});
  }
  body.set_outputs(std::move(outputs));
}

/// Checks that no state becomes another shape in the first iteration, as far as that is known.
void check_states(const InferenceModel& body, const std::vector<Fact>& facts, std::size_t states,
                  const std::vector<Fact>& widened, const std::shared_ptr<SymbolScope>& symbols) {
  std::vector<Fact> before;
  bool changed = false;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    before.push_back(i < states ? facts[i].without_value() : facts[i]);
    changed |= i < states && before[i] != widened[i].without_value();
  }
  if (!changed) return;
  const TypedModel once = expand_body(body, before, symbols);
  for (std::size_t k = 0; k < states; ++k)
    check(compatible(before[k], once.output_fact(k)), "state ", k, " is ", before[k],
          " and becomes ", once.output_fact(k).without_value());
}

/// Of what the body takes: states, slices and captured values.
std::vector<Fact> entry_facts(const Scan& scan, const Builder& b, const OutletIds& in) {
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Fact& fact = b.fact(in[i]);
    const bool is_state = i < scan.states;
    if (is_state) check(fact.is_tensor(), "a ", fact.type(), " cannot be a state");
    facts.push_back(is_state || i >= scan.states + scan.inputs.size()
                        ? fact
                        : slice_fact(fact, scan.inputs[i - scan.states].axis, SliceAxis::dropped));
  }
  return facts;
}

/// Whether it is known that there is no iteration.
bool never_runs(const Scan& scan, const Builder& b, const OutletIds& in) {
  for (std::size_t i = 0; i < scan.inputs.size(); ++i)
    if (has_no_slices(b.fact(in[scan.states + i]), scan.inputs[i].axis)) return true;
  return false;
}

/// Gives the loop its entries, and returns what enters by them: all but captured values that became
/// constants of the body.
OutletIds add_entries(strata::Loop& loop, const Scan& scan, const OutletIds& in,
                      const std::vector<Fact>& facts) {
  OutletIds wires;
  for (std::size_t i = 0; i < in.size(); ++i) {
    LoopInput entry{i < scan.states ? LoopInput::Kind::carried : LoopInput::Kind::invariant};
    if (i >= scan.states && i < scan.states + scan.inputs.size()) {
      const auto& scanned = scan.inputs[i - scan.states];
      entry = {LoopInput::Kind::scanned, scanned.axis, 1, scanned.reversed};
    } else if (i >= scan.states && facts[i].constant()) {
      continue;
    }
    loop.inputs.push_back(entry);
    wires.push_back(in[i]);
  }
  return wires;
}

/// A scanned input has as many slices as the first. Where both are known to differ the loop says
/// so.
void require_as_many(Rules& r, const DimProxy& slices, const DimProxy& first) {
  const auto own = slices.known(), wanted = first.known();
  if (!own || !wanted || may_be_equal(*own, *wanted)) r.require(slices == first);
}

}  // namespace

void Scan::rules(Rules& r) const {
  for (std::size_t k = 0; k < states && k < r.output_count(); ++k) {
    r.require(r.output(k, "final_state").dtype == r.input(k, "initial_state").dtype);
    r.require(r.output(k, "final_state").shape == r.input(k, "initial_state").shape);
  }
  if (inputs.empty()) return;
  // As many steps as each scanned input has slices.
  const auto steps = r.input(states, "scanned").shape[inputs[0].axis];
  for (std::size_t i = 1; i < inputs.size(); ++i)
    require_as_many(r, r.input(states + i, "scanned").shape[inputs[i].axis], steps);
  for (std::size_t i = 0; i < outputs.size() && states + i < r.output_count(); ++i)
    r.require(r.output(states + i, "stacked").shape[outputs[i].axis] == steps);
}

OutletIds Scan::wire(Builder& b, const OutletIds& in) const {
  const std::vector<Fact> entries = entry_facts(*this, b, in);
  std::vector<std::size_t> carried(states);
  std::iota(carried.begin(), carried.end(), std::size_t{0});
  const auto& symbols = b.target().symbol_scope();
  const auto expand_for = [&](const std::vector<Fact>& facts) {
    LoopBody expanded = expand_loop_body(*body, facts, carried, 0, symbols);
    check_states(*body, facts, states, expanded.inputs, symbols);
    return std::pair(std::move(expanded), facts);
  };
  auto [expanded, facts] =
      never_runs(*this, b, in) ? expand_unused(*body, entries, 0, expand_for) : expand_for(entries);
  strata::Loop loop;
  const OutletIds wires = add_entries(loop, *this, in, facts);
  TypedModel model = std::move(expanded.model);
  check(model.outputs().size() == states + outputs.size(), "the body gives ",
        counted(model.outputs().size(), "value"), ", ", states + outputs.size(), " wanted");
  for (std::size_t k = 0; k < states; ++k) {
    check(compatible(b.fact(in[k]), model.output_fact(k)), "state ", k, " is ",
          b.fact(in[k]).without_value(), " and becomes ", model.output_fact(k).without_value());
    loop.outputs.push_back({LoopOutput::Kind::last, static_cast<std::int64_t>(k)});
  }
  take_slices(model, *this, b, in);
  give_slices(model, *this);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    loop.outputs.push_back({LoopOutput::Kind::stacked, static_cast<std::int64_t>(states + i),
                            outputs[i].axis, outputs[i].reversed});
  model.remove_dead_nodes();
  model.compact();
  loop.body = std::make_shared<TypedModel>(std::move(model));
  declare_parts(loop, *body, 0);
  return b.wire(loop, wires);
}

OutletIds BatchedScan::wire(Builder& b, const OutletIds& in) const {
  LoopBuilder loop(b);
  Builder& element = loop.body();
  const bool has_lengths = has(in, 0);
  const OutletId zero = element.integers({0});
  const OutletId length =
      has_lengths ? element.one(Unsqueeze{},
                                {loop.scanned("length", in[0], 0, LoopOrder::from_front), zero})
                  : kAbsent;
  OutletIds inner;
  OutletId steps;  // the extent of the axis that is scanned, as a vector
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (i + captures >= in.size()) {
      inner.push_back(loop.invariant("captured", in[i]));
      continue;
    }
    OutletId value = loop.scanned("value", in[i], 0, LoopOrder::from_front);
    if (has_lengths && i > scan.states) {
      steps = element.one(ShapeOf{0, 1}, {value});
      value = element.one(Slice{}, {value, zero, length, zero});
    }
    inner.push_back(value);
  }
  const OutletIds results = scan.wire(element, inner);
  std::vector<LoopBuilder::Stacked> stacked;
  for (std::size_t i = 0; i < results.size(); ++i) {
    OutletId result = results[i];
    if (has_lengths && i >= scan.states) {
      const OutletId missing = sub(element, steps, element.one(ShapeOf{0, 1}, {result}));
      const OutletId fill = element.scalar(0, element.fact(result).dtype);
      result = element.one(Pad{}, {result, element.one(Concat{0}, {zero, missing}), fill, zero});
    }
    stacked.push_back({element.one(Unsqueeze{}, {result, zero}), 0, LoopOrder::from_front});
  }
  return loop.wire({}, stacked);
}

}  // namespace strata::hir
