#include <algorithm>

#include "as_read.h"
#include "default_form.h"
#include "dims.h"
#include "literals.h"
#include "writer.h"

namespace strata::opl {
namespace {

/// The nodes that some output needs, in order, without the inputs of the graph.
std::vector<std::uint32_t> needed_nodes(const TypedModel& model) {
  std::vector<bool> needed(model.nodes().size(), false);
  std::vector<std::uint32_t> todo;
  for (const GraphOutput& output : model.outputs()) todo.push_back(output.outlet.node);
  while (!todo.empty()) {
    const std::uint32_t id = todo.back();
    todo.pop_back();
    if (needed[id]) continue;
    needed[id] = true;
    for (const OutletId input : model.node(id).inputs) todo.push_back(input.node);
  }
  std::vector<std::uint32_t> order = model.order();
  std::erase_if(order, [&](std::uint32_t id) {
    return !needed[id] || model.node(id).op.as<Source>() != nullptr;
  });
  return order;
}

void append(std::vector<Assignment>& to, std::vector<Assignment>&& from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

}  // namespace

GraphWriter::GraphWriter(const TypedModel& model, DocumentWriter& document, Ports ports)
    : model_(as_read(model)), ports_(ports), document_(document) {}

void GraphWriter::write() {
  const std::vector<std::uint32_t> order = needed_nodes(model_);
  name_wires(order);
  for (const OutletId input : model_.inputs())
    if (ports_ != Ports::bound)
      body_.push_back(assign(names_.at(input), source(model_.fact(input))));
  std::vector<std::vector<Assignment>> of_nodes(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (model_.node(order[i]).op.as<Const>()) continue;
    write_node(order[i]);
    of_nodes[i] = std::exchange(steps_, {});
  }
  alias_outputs();
  std::vector<Assignment> aliases = std::exchange(steps_, {});
  // Now it is known which constants are read by name, and not written where they are read.
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!read_constants_.contains(order[i])) continue;
    write_constant(order[i]);
    of_nodes[i] = std::exchange(steps_, {});
  }
  for (std::vector<Assignment>& each : of_nodes) append(body_, std::move(each));
  append(body_, std::move(aliases));
}

std::string GraphWriter::claim(std::string_view wanted) {
  return taken_.claim(wanted.empty() ? "_" : wanted);
}

void GraphWriter::name_wires(const std::vector<std::uint32_t>& order) {
  const auto& symbols = document_.symbols_;
  const auto take_symbols = [&] {
    for (const std::string& symbol : symbols) taken_.add(symbol);
  };
  if (ports_ != Ports::keep_names) take_symbols();
  for (const OutletId input : model_.inputs())
    inputs_.push_back(names_[input] = claim(model_.node(input.node).name));
  name_outputs();
  take_symbols();
  const auto name = [&](OutletId outlet, std::string_view wanted) {
    if (!names_.contains(outlet)) names_[outlet] = claim(wanted);
  };
  for (const std::uint32_t id : order)
    if (!model_.node(id).op.as<Const>()) name({id, 0}, model_.node(id).name);
  for (const std::uint32_t id : order)
    for (std::uint32_t slot = 1; slot < model_.node(id).outputs.size(); ++slot)
      name({id, slot}, cat(names_.at({id, 0}), '_', slot));
}

/// Outputs keep their names; a wire of another name gets an alias at the end.
void GraphWriter::name_outputs() {
  NameSet given;
  for (const GraphOutput& output : model_.outputs()) {
    const TypedNode& node = model_.node(output.outlet.node);
    const auto named = names_.find(output.outlet);
    const bool has_name = named != names_.end() && named->second == output.name;
    const bool keeps_name = has_name && !given.contains(output.name);
    outputs_.push_back(keeps_name ? output.name : claim(output.name));
    given.insert(outputs_.back());
    if (has_name) continue;
    const bool takes_it = output.outlet.slot > 0 || node.name == outputs_.back();
    if (named == names_.end() && takes_it) names_[output.outlet] = outputs_.back();
  }
}

Expression GraphWriter::wire(OutletId outlet) {
  if (model_.node(outlet.node).op.as<Const>()) {
    read_constants_.insert(outlet.node);
    if (!names_.contains(outlet)) names_[outlet] = claim(model_.node(outlet.node).name);
  }
  return identifier(names_.at(outlet));
}

std::optional<Expression> GraphWriter::literal(OutletId outlet) {
  const Const* constant = model_.node(outlet.node).op.as<Const>();
  if (constant == nullptr || !constant->value->is_tensor()) return std::nullopt;
  const Tensor& tensor = constant->value->tensor();
  if (tensor.dtype() != DatumType::dim) return short_literal(tensor);
  std::optional<Expression> out = short_literal(document_.spelled(tensor));
  if (out)
    for (const Dim& dim : tensor.as<Dim>()) document_.note_symbols(dim);
  return out;
}

Expression GraphWriter::operand(const NodeView& node, std::size_t i) {
  if (auto small = literal(node.input(i))) return *std::move(small);
  return input(node, i);
}

Expression GraphWriter::step(const NodeView& node, std::string_view hint, Expression right) {
  std::string name = claim(cat(names_.at(node.output()), '_', hint));
  steps_.push_back(assign(name, std::move(right)));
  return identifier(std::move(name));
}

Expression GraphWriter::tensor(const NodeView& node, std::string_view hint, const Tensor& tensor) {
  std::string name = claim(cat(names_.at(node.output()), '_', hint));
  Expression right = document_.constant(tensor, name);
  steps_.push_back(assign(name, std::move(right)));
  return identifier(std::move(name));
}

Expression GraphWriter::body(const NodeView& node, std::string_view hint, const Body& body) {
  const std::string name = cat(names_.at(node.output()), '_', hint);
  return string(document_.body(body, name, Ports::may_change).name);
}

const Fragment& GraphWriter::bound_body(const NodeView& node, std::string_view hint,
                                        const Body& body) {
  return document_.body(body, cat(names_.at(node.output()), '_', hint), Ports::bound);
}

Expression GraphWriter::dim(const Dim& dim) {
  document_.note_symbols(dim);
  return dim_expression(document_.spelled(dim));
}

Expression GraphWriter::dims(std::span<const Dim> dims) {
  std::vector<Expression> items;
  for (const Dim& each : dims) items.push_back(dim(each));
  return array(std::move(items));
}

bool GraphWriter::is_read(OutletId outlet) const {
  return !model_.successors(outlet).empty() || model_.is_output(outlet);
}

void GraphWriter::write_node(std::uint32_t id) {
  const NodeView node{model_, id};
  try {
    Expression right = right_side(node);
    std::vector<std::string> names;
    for (std::uint32_t slot = 0; slot < node.output_count(); ++slot)
      names.push_back(names_.at(node.output(slot)));
    auto* apart = std::get_if<Tuple>(&right.node);
    if (apart == nullptr) return steps_.push_back(assign(names, std::move(right)));
    for (std::uint32_t slot = 0; slot < names.size(); ++slot)
      if (is_read(node.output(slot)))
        steps_.push_back(assign(names[slot], std::move(apart->items[slot])));
  } catch (Error& error) {
    throw error.in(cat(node.op().display_name(), ' ', in_quotes(node.name())));
  }
}

void GraphWriter::write_constant(std::uint32_t id) {
  const NodeView node{model_, id};
  const std::string& name = names_.at({id, 0});
  Expression value = constant_value(node, name, *node.op().as<Const>()->value);
  steps_.push_back(assign(name, std::move(value)));
}

/// Assigns the outputs whose wires have other names.
void GraphWriter::alias_outputs() {
  for (std::size_t i = 0; i < model_.outputs().size(); ++i) {
    Expression output = wire(model_.outputs()[i].outlet);
    if (output.get_if<Identifier>()->name != outputs_[i])
      steps_.push_back(assign(outputs_[i], std::move(output)));
  }
}

Expression GraphWriter::right_side(const NodeView& node) {
  if (const WriteRow* row = Writers::standard().find(node.op().name()))
    if (auto standard = row->write(node, *this)) return *std::move(standard);
  return default_form(node, *this);
}

Expression GraphWriter::source(const Fact& fact) {
  if (!fact.is_tensor() || fact.shape.is_open())
    return call("strata_external", {named("type", string(fact_text(document_.spelled(fact))))});
  Argument shape = named("shape", dims(fact.shape.dims()));
  if (fact.dtype == DatumType::f32 && fact.shape.concrete())
    return call("external", {std::move(shape)});
  return call("tract_core_external",
              {std::move(shape), named("datum_type", string(std::string(to_string(fact.dtype))))});
}

Expression GraphWriter::constant_value(const NodeView& node, const std::string& name,
                                       const Value& value) {
  if (value.is_tensor()) return document_.constant(value.tensor(), name);
  std::vector<Expression> items;
  const auto add = [&](const Value& item) {
    std::string part = claim(cat(name, '_', items.size()));
    Expression right = constant_value(node, part, item);
    steps_.push_back(assign(part, std::move(right)));
    items.push_back(identifier(std::move(part)));
  };
  const ValueType type = value.type();
  if (type.kind == ValueType::Kind::sequence) {
    for (const Value& item : value.sequence().items) add(item);
  } else if (value.optional().value) {
    add(*value.optional().value);
  }
  return call("strata_constant_of", {named("type", string(fact_text(Fact::any(type)))),
                                     named("items", array(std::move(items)))});
}

const Tensor* constant_input(const NodeView& node, std::size_t i) {
  if (i >= node.inputs().size()) return nullptr;
  const Const* constant = node.producer_as<Const>(i);
  if (constant == nullptr || !constant->value->is_tensor()) return nullptr;
  const Tensor& tensor = constant->value->tensor();
  return tensor.dtype() == DatumType::dim ? nullptr : &tensor;
}

std::optional<std::vector<Dim>> constant_dims(const NodeView& node, std::size_t i) {
  if (i >= node.inputs().size() || node.producer_as<Const>(i) == nullptr) return std::nullopt;
  const Fact& fact = node.input_fact(i);
  return fact.is_tensor() && fact.dtype == DatumType::i64 ? fact.dims() : std::nullopt;
}

std::optional<Shape> constant_integers(const NodeView& node, std::size_t i) {
  const Tensor* tensor = constant_input(node, i);
  if (tensor == nullptr || tensor->dtype() != DatumType::i64 || tensor->rank() > 1)
    return std::nullopt;
  return to_integers(*tensor);
}

std::optional<std::int64_t> constant_integer(const NodeView& node, std::size_t i) {
  const auto values = constant_integers(node, i);
  return values && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

std::optional<float> constant_float(const NodeView& node, std::size_t i) {
  const Tensor* tensor = constant_input(node, i);
  if (tensor == nullptr || tensor->dtype() != DatumType::f32 || tensor->size() != 1)
    return std::nullopt;
  return tensor->item<float>();
}

}  // namespace strata::opl
