#include <algorithm>

#include "compounds.h"
#include "default_form.h"
#include "reader.h"

namespace strata::opl {
namespace {

Item item_of(const OutletIds& outlets, const ReadRow* row, Position position) {
  const bool is_list = row && row->kind == FragmentKind::gives_list;
  if (outlets.size() == 1 && !is_list) return {outlets[0], position};
  Item::List list;
  for (const OutletId outlet : outlets) list.push_back({outlet, position});
  return {std::move(list), position};
}

void collect_names(const Target& target, std::set<std::string, std::less<>>& names) {
  if (target.kind == Target::Kind::name) names.insert(target.name);
  for (const Target& item : target.items) collect_names(item, names);
}

}  // namespace

const Target& first_name(const Target& target) {
  return target.kind == Target::Kind::name || target.items.empty()
             ? target
             : first_name(target.items.front());
}

std::string Scope::node_name(const std::string& name) const {
  const auto result = renamed.find(name);
  if (result != renamed.end()) return result->second;
  return prefix.empty() ? name : cat(prefix, '_', name);
}

void GraphReader::read(const std::vector<Assignment>& body, const std::vector<Port>& inputs,
                       const std::vector<Port>& outputs) {
  for (const Assignment& assignment : body) collect_names(assignment.left, reserved_);
  Scope scope;
  assign_all(body, scope);
  OutletIds sources;
  std::vector<bool> is_listed(model_.nodes().size(), false);
  for (const Port& input : inputs) {
    const OutletId outlet = port(input, scope);
    if (model_.node(outlet.node).op.as<Source>() == nullptr)
      document_.fail(input.position,
                     cat(in_quotes(input.name), " is listed as an input but is no external"));
    if (is_listed[outlet.node])
      document_.fail(input.position, cat("input ", in_quotes(input.name), " is listed twice"));
    is_listed[outlet.node] = true;
    sources.push_back(outlet);
  }
  for (const OutletId source : model_.inputs())
    if (!is_listed[source.node])
      document_.fail({}, cat(in_quotes(model_.node(source.node).name),
                             " is an external but is not listed as an input"));
  model_.set_inputs(std::move(sources));
  for (const Port& output : outputs) model_.add_output(output.name, port(output, scope));
  model_.remove_dead_nodes();
  model_.compact();
}

void GraphReader::read(const Fragment& fragment, const std::vector<Fact>& parameters) {
  Scope scope;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = fragment.parameters[i];
    const OutletId wire = model_.add_source(parameter.name, parameters[i]);
    scope.items.emplace(parameter.name, Item{wire, parameter.position});
    reserved_.insert(parameter.name);
  }
  for (const Assignment& assignment : *fragment.body) collect_names(assignment.left, reserved_);
  assign_all(*fragment.body, scope);
  for (const Result& result : fragment.results)
    model_.add_output(result.name, port({result.name, result.position}, scope));
  model_.remove_dead_nodes();
  model_.compact();
}

OutletId GraphReader::port(const Port& port, const Scope& scope) const {
  const auto found = scope.items.find(port.name);
  if (found == scope.items.end())
    document_.fail(port.position, cat("nothing is assigned to ", in_quotes(port.name)));
  if (const auto* wire = found->second.get_if<OutletId>()) return *wire;
  const auto tensor = literal_tensor(found->second);
  if (!tensor)
    document_.fail(port.position,
                   cat(in_quotes(port.name), " is ", describe(found->second), ", not a wire"));
  return model_.constant(port.name, *tensor);
}

void GraphReader::assign_all(const std::vector<Assignment>& body, Scope& scope) {
  for (const Assignment& assignment : body) {
    document_.count_assignment();
    const std::string target = scope.node_name(first_name(assignment.left).name);
    bind(assignment.left, ExpressionReader(*this, scope).read(assignment.right, target), scope);
  }
}

void GraphReader::bind(const Target& target, Item item, Scope& scope) {
  if (target.kind == Target::Kind::name) {
    if (const auto* wire = item.get_if<OutletId>(); wire && document_.is_quantised(target.name))
      quantised_.push_back(*wire);
    scope.items.insert_or_assign(target.name, std::move(item));
    return;
  }
  if (item.is_wire() && target.items.size() == 1)
    return bind(target.items.front(), std::move(item), scope);
  auto* list = std::get_if<Item::List>(&item.content);
  const std::size_t size = list ? list->size() : 1;
  if (list == nullptr || size != target.items.size())
    document_.fail(target.position, cat(target.items.size(), " names for ", size, " results"));
  for (std::size_t i = 0; i < size; ++i) bind(target.items[i], std::move((*list)[i]), scope);
}

std::string GraphReader::helper_name(std::string name) const {
  while (reserved_.contains(name)) name += '_';
  return name;
}

void GraphReader::check_plain(const std::string& fragment, const Item& item,
                              Position position) const {
  const auto* wire = item.get_if<OutletId>();
  if (wire && std::find(quantised_.begin(), quantised_.end(), *wire) != quantised_.end())
    document_.unsupported(
        position, cat("not supported: ", fragment, " of ", in_quotes(model_.node(wire->node).name),
                      ", which graph.quant quantises"));
  if (const auto* list = item.get_if<Item::List>())
    for (const Item& each : *list) check_plain(fragment, each, position);
}

Item GraphReader::invoke(const std::string& fragment, const std::string& target,
                         Arguments arguments, Position position) {
  if (const Fragment* found = document_.fragment(fragment))
    return expand(*found, target, std::move(arguments), position);
  const ReadRow* row = Readers::standard().find(fragment);
  if (const Fragment* compound = row ? nullptr : compound_fragment(fragment)) {
    const CalledAt place(document_, position);
    return expand(*compound, target, std::move(arguments), position);
  }
  if (!row || row->kind != FragmentKind::takes_quantised) {
    for (const Item& item : arguments.positional) check_plain(fragment, item, position);
    for (const auto& [name, item] : arguments.named) check_plain(fragment, item, position);
  }
  Invocation call(*this, fragment, target, std::move(arguments), position);
  try {
    return item_of(call_registry(row, call, position), row, position);
  } catch (Error& error) {
    if (error.message().starts_with(document_.document().file_name + ':'))
      throw;  // it says the place already
    throw error.in(cat(fragment, " at ", document_.place(position)));
  }
}

OutletIds GraphReader::call_registry(const ReadRow* row, Invocation& call, Position position) {
  if (row) {
    call.bind(*row);
    return row->read(call);
  }
  const std::string& fragment = call.fragment();
  if (is_default_form(fragment, document_.own_ops())) return read_default_form(call);
  const std::string near = nearest_name(fragment, Readers::standard().fragments());
  document_.unsupported(position, cat("no fragment is named ", in_quotes(fragment),
                                      near.empty() ? "" : cat(", nearest is ", in_quotes(near))));
}

Item GraphReader::expand(const Fragment& fragment, const std::string& target, Arguments arguments,
                         Position position) {
  if (++document_.expansions_ > kMaxExpansions)
    strata::fail(ErrorKind::limit, document_.place(position), ": fragments nest deeper than ",
                 kMaxExpansions);
  Scope scope;
  scope.prefix = target;
  if (fragment.results.size() == 1) scope.renamed.emplace(fragment.results[0].name, target);
  bind_parameters(fragment, std::move(arguments), scope, position);
  assign_all(*fragment.body, scope);
  --document_.expansions_;
  Item::List results;
  for (const Result& result : fragment.results) {
    const auto found = scope.items.find(result.name);
    if (found == scope.items.end())
      document_.fail(result.position,
                     cat("nothing is assigned to the result ", in_quotes(result.name)));
    results.push_back(found->second);
  }
  if (results.size() == 1) return results.front();
  return {std::move(results), position};
}

void GraphReader::bind_parameters(const Fragment& fragment, Arguments arguments, Scope& scope,
                                  Position position) {
  if (arguments.positional.size() > fragment.parameters.size())
    document_.fail(position, cat(fragment.name, " takes ", fragment.parameters.size(),
                                 " arguments, ", arguments.positional.size(), " given"));
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    if (!scope.items.emplace(fragment.parameters[i].name, std::move(arguments.positional[i]))
             .second)
      document_.fail(position, cat(fragment.name, " has two parameters ",
                                   in_quotes(fragment.parameters[i].name)));
  for (auto& [name, item] : arguments.named) {
    const bool known =
        std::any_of(fragment.parameters.begin(), fragment.parameters.end(),
                    [&, &wanted = name](const Parameter& p) { return p.name == wanted; });
    if (!known)
      document_.fail(item.position, cat(fragment.name, " has no parameter ", in_quotes(name)));
    if (!scope.items.emplace(name, item).second)
      document_.fail(item.position, cat("parameter ", in_quotes(name), " is given twice"));
  }
  for (const Parameter& parameter : fragment.parameters) {
    if (scope.items.contains(parameter.name)) continue;
    if (!parameter.default_value)
      document_.fail(position,
                     cat(fragment.name, " lacks its argument ", in_quotes(parameter.name)));
    document_.count_assignment();
    Item value = ExpressionReader(*this, scope).read(*parameter.default_value, scope.prefix);
    scope.items.emplace(parameter.name, std::move(value));
  }
}

}  // namespace strata::opl
