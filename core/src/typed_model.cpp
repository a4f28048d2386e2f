#include "strata/core/typed_model.h"

#include <algorithm>

#include "node_title.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Integer results of up to this many elements are computed while wiring.
constexpr std::int64_t kEagerElements = 1024;
/// A few floats are computed, too: exporters compute sizes as rounded halves.
constexpr std::int64_t kEagerFloats = 8;

bool is_small(const Fact& fact) {
  const bool may_be_size = is_integer(fact.dtype) || fact.dtype == DatumType::boolean;
  if (!fact.is_tensor() || !(may_be_size || is_float(fact.dtype))) return false;
  const auto shape = fact.shape.concrete();
  return shape && product(*shape) <= (may_be_size ? kEagerElements : kEagerFloats);
}

/// Whether the values are computed while wiring: a few numbers computed from known values, on which
/// shapes may depend.
bool is_eager(const TypedOp& op, Facts in, const FactList& out) {
  if (op.is_stateful() || in.size() == 0) return false;
  bool symbolic = false;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!in[i].value || !in[i].is_tensor()) return false;
    if (in[i].value->tensor().size() > kEagerElements) return false;
    symbolic |= in[i].constant() == nullptr;
  }
  if (symbolic && !op.evaluates_dims()) return false;
  return std::all_of(out.begin(), out.end(),
                     [](const Fact& fact) { return is_small(fact) && !fact.value; });
}

/// A dim tensor of integers as integers of a type; others unchanged.
Tensor plain_integers(const Tensor& tensor, DatumType type) {
  if (tensor.dtype() != DatumType::dim) return tensor;
  const auto dims = tensor.as<Dim>();
  const bool all =
      std::all_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.is_constant(); });
  return all ? cast(tensor, type) : tensor;
}

void evaluate_values(const TypedOp& op, Facts in, FactList& out) {
  ValueList values;
  values.reserve(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) values.push_back(*in[i].value);
  try {
    values = op.eval(values);
  } catch (const Error&) {
    return;  // an op that fails for these values will fail, and be reported, in the run
  }
  for (std::size_t i = 0; i < out.size() && i < values.size(); ++i) {
    const DatumType type = out[i].dtype;
    const Tensor result = plain_integers(values[i].tensor(), type);
    const bool are_sizes = result.dtype() == DatumType::dim && is_integer(type);
    if (result.dtype() != type && !are_sizes) continue;
    Fact found = Fact::of(result);
    found.dtype = type;
    if (compatible(out[i], found)) out[i] = meet(out[i], found);
  }
}

/// A fact whose sizes are symbols and integers.
Fact plain(const Fact& fact) {
  if (fact.constant() || !fact.is_tensor()) return fact;
  Fact out = fact.without_value();
  if (out.shape.is_open()) return out;
  std::vector<Dim> dims = out.shape.dims();
  for (Dim& dim : dims)
    if (!dim.is_constant() && !dim.as_symbol()) dim = fresh_dim();
  out.shape = std::move(dims);
  return out;
}

/// The facts that the op infers for its outputs. If an expression of sizes becomes too large, it
/// infers again with fresh symbols for the sizes of its inputs. Throws: invalid_model, also if the
/// op refuses the value of a constant.
FactList output_facts(const TypedOp& op, Facts in) {
  try {
    return op.output_facts(in);
  } catch (Error& error) {
    if (error.kind() == ErrorKind::run_time) error.as(ErrorKind::invalid_model);
    if (error.kind() != ErrorKind::limit) throw;
    FactList facts;
    for (std::size_t i = 0; i < in.size(); ++i) facts.push_back(plain(in[i]));
    return op.output_facts(GatheredFacts(facts));
  }
}

Cost operator+(Cost a, const Cost& b) {
  a.flops += b.flops;
  a.bytes_read += b.bytes_read;
  a.bytes_written += b.bytes_written;
  a.parameters += b.parameters;
  return a;
}

}  // namespace

TypedModel::TypedModel(const TypedModel&) = default;
TypedModel::TypedModel(TypedModel&&) noexcept = default;
TypedModel& TypedModel::operator=(const TypedModel& other) {
  return *this = TypedModel(other);  // half the code of one that keeps what memory it can
}
TypedModel& TypedModel::operator=(TypedModel&&) noexcept = default;
TypedModel::~TypedModel() = default;

GatheredFacts Wiring::facts_of(const OutletIds& wires) const {
  GatheredFacts out;
  for (const OutletId wire : wires) out.add(fact_of(wire));
  return out;
}

OutletId Wiring::constant(std::string_view name, Value value) {
  return constant(name, std::make_shared<const Value>(std::move(value)));
}

OutletId Wiring::constant(std::string_view name, std::shared_ptr<const Value> value) {
  return wire_one(name, Const{std::move(value)}, {});
}

OutletId Wiring::wire_one(std::string_view name, TypedOp op, const OutletIds& inputs) {
  require(static_cast<bool>(op), ErrorKind::invalid_argument, "node ", in_quotes(name),
          " is given no op");
  const std::string_view kind = op.name();
  const OutletIds outlets = wire(name, std::move(op), inputs);
  require(outlets.size() == 1, ErrorKind::internal, kind, " has ", outlets.size(),
          " outputs, not one");
  return outlets[0];
}

FactList infer_facts(const TypedOp& op, Facts in, SymbolScope& scope) {
  const FreshSymbols fresh(scope);
  FactList out = output_facts(op, in);
  if (is_eager(op, in, out)) evaluate_values(op, in, out);
  return out;
}

OutletId TypedModel::port(std::size_t i) const {
  require(i < inputs().size(), ErrorKind::invalid_argument, "input ", i, " of a model that has ",
          inputs().size());
  return inputs()[i];
}

const Fact& TypedModel::output_fact(std::size_t i) const {
  require(i < outputs().size(), ErrorKind::invalid_argument, "output ", i, " of a model that has ",
          outputs().size());
  return fact(outputs()[i].outlet);
}

OutletId TypedModel::add_source(std::string_view name, Fact fact) {
  if (fact.is_tensor() && fact.shape.is_known())
    for (const Dim& dim : fact.shape.dims()) symbols_->reserve_symbols(dim);
  const std::uint32_t id = add_node(std::string(name), Source{fact}, {}, {fact});
  add_input({id, 0});
  return {id, 0};
}

FactList TypedModel::inferred_facts(const TypedOp& op, const OutletIds& inputs) const {
  for (const OutletId input : inputs)
    require(exists(input), ErrorKind::internal, op.name(), " reads a wire that does not exist");
  return infer_facts(op, facts_of(inputs), *symbols_);
}

OutletIds TypedModel::wire(std::string_view name, TypedOp op, const OutletIds& inputs) {
  require(static_cast<bool>(op), ErrorKind::invalid_argument, "node ", in_quotes(name),
          " is given no op");
  FactList facts;
  try {
    facts = inferred_facts(op, inputs);
  } catch (Error& error) {
    throw error.in(title_of(op, name));
  }
  return outlets_of(add_node_like(name, std::move(op), inputs, std::move(facts)));
}

OutletIds TypedModel::wire_unnamed(TypedOp op, const OutletIds& inputs) {
  FactList facts = inferred_facts(op, inputs);
  return outlets_of(add_unnamed_node(std::move(op), inputs, std::move(facts)));
}

void TypedModel::erase_unread(std::uint32_t id) {
  SmallVector<std::uint32_t, 8> todo;
  for (;;) {
    if (!nodes_[id].erased && !is_read(id) && !(nodes_[id].op.as<Source>() && is_input(id))) {
      for (const OutletId input : nodes_[id].inputs) todo.push_back(input.node);
      erase(id);
    }
    if (todo.empty()) return;
    id = todo.back();
    todo.pop_back();
  }
}

void TypedModel::remove_dead_nodes() {
  // Since there are no cycles, dead nodes can be erased starting from those that nobody reads.
  for (auto id = static_cast<std::uint32_t>(nodes_.size()); id-- > 0;)
    if (!is_read(id)) erase_unread(id);
}

void TypedModel::compact() {
  if (live_nodes() < nodes_.size() || !is_in_order()) reorder(order());
}

std::size_t TypedModel::total_nodes() const {
  std::size_t total = live_nodes();
  for (const TypedNode& node : nodes_) {
    if (node.erased || !node.op.has_bodies()) continue;
    for (const Body& body : node.op.bodies()) total += body->total_nodes();
  }
  return total;
}

Cost TypedModel::cost() const {
  Cost total;
  for (const TypedNode& node : nodes_) {
    if (node.erased) continue;
    total = total + node.op.cost(facts_of(node.inputs), GatheredFacts(node.outputs));
  }
  return total;
}

void TypedModel::verify() const {
  const auto broken = [](const TypedNode& node, std::string_view what) {
    fail(ErrorKind::internal, "node ", in_quotes(node.name), ' ', what);
  };
  for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
    const TypedNode& node = nodes_[id];
    if (node.erased) continue;
    for (std::uint32_t slot = 0; slot < node.inputs.size(); ++slot) {
      const OutletId input = node.inputs[slot];
      if (!exists(input) || nodes_[input.node].erased)
        broken(node, "reads a wire that does not exist");
      const auto& readers = successors(input);
      if (std::count(readers.begin(), readers.end(), InletId{id, slot}) != 1)
        broken(node, "is not among the readers of its input");
    }
  }
  for (const GraphOutput& output : outputs())
    require(exists(output.outlet) && is_output(output.outlet), ErrorKind::internal, "output ",
            in_quotes(output.name), " is no wire");
  (void)order();
}

}  // namespace strata
