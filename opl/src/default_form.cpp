#include "default_form.h"

#include <algorithm>
#include <map>

#include "invocation.h"
#include "strata/core/known_inputs.h"
#include "strata/core/ops/all.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/loop.h"
#include "writer.h"

namespace strata::opl {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

constexpr std::string_view kCorePrefix = "strata_", kOwnPrefix = "own_";

/// `strata_gather_nd` for GatherND.
std::string fragment_name(std::string_view prefix, std::string_view op) {
  std::string out(prefix);
  for (std::size_t i = 0; i < op.size(); ++i) {
    const bool next_is_lower = i + 1 < op.size() && op[i + 1] >= 'a' && op[i + 1] <= 'z';
    if (i > 0 && is_upper(op[i]) && (!is_upper(op[i - 1]) || next_is_lower)) out += '_';
    out += lower_case(op[i]);
  }
  return out;
}

const OpEntry* core_entry_of(std::string_view fragment) {
  static const auto entries = [] {
    std::map<std::string, const OpEntry*, std::less<>> out;
    for (const OpEntry& entry : core_ops())
      out.emplace(fragment_name(kCorePrefix, entry.name), &entry);
    return out;
  }();
  const auto at = entries.find(fragment);
  return at == entries.end() ? nullptr : at->second;
}

const OpEntry* entry_of(std::string_view fragment, std::span<const OpEntry> own) {
  if (!fragment.starts_with(kOwnPrefix)) return core_entry_of(fragment);
  const auto at = std::find_if(own.begin(), own.end(), [&](const OpEntry& entry) {
    return fragment_name(kOwnPrefix, entry.name) == fragment;
  });
  return at == own.end() ? nullptr : &*at;
}

const OpEntry* entry_named(std::string_view op, std::span<const OpEntry> own) {
  const auto at =
      std::find_if(own.begin(), own.end(), [&](const OpEntry& entry) { return entry.name == op; });
  return at == own.end() ? nullptr : &*at;
}

/// `value` with doubles replaced by those whose shorter text gives the same float.
AttrValue shortened(const AttrValue& value) {
  const auto shorten = [](double number) {
    return Number{detail::float_text(static_cast<float>(number))}.as_double();
  };
  if (const auto* number = std::get_if<double>(&value)) return shorten(*number);
  const auto* list = std::get_if<std::vector<double>>(&value);
  if (list == nullptr) return value;
  std::vector<double> out;
  std::transform(list->begin(), list->end(), std::back_inserter(out), shorten);
  return out;
}

/// Whether an attribute holds single-precision numbers, so that the short text reads back as the
/// same value.
bool reads_back(const OpEntry& entry, std::string_view name, const AttrValue& original,
                const AttrValue& text) {
  const AttrList attributes = entry.from_attributes({{name, text}}).attributes();
  const auto same = std::find_if(attributes.begin(), attributes.end(),
                                 [&](const NamedAttr& a) { return a.name == name; });
  return same != attributes.end() && attr_equal(same->value, original);
}

struct WriteAttribute {
  const NodeView& node;
  GraphWriter& writer;
  std::string_view name;

  Expression operator()(std::monostate) const { return {None{}, {}}; }
  Expression operator()(bool value) const { return logical(value); }
  Expression operator()(std::int64_t value) const { return number(value); }
  Expression operator()(double value) const { return number(value); }
  Expression operator()(const std::string& value) const { return string(value); }
  Expression operator()(DatumType value) const { return string(std::string(to_string(value))); }
  Expression operator()(const Dim& value) const { return writer.dim(value); }
  Expression operator()(const Tensor& value) const { return writer.tensor(node, name, value); }
  Expression operator()(const Value& value) const {
    require(value.is_tensor(), ErrorKind::unsupported, "the attribute ", name, " holds a ",
            value.type());
    return writer.tensor(node, name, value.tensor());
  }
  Expression operator()(const Body& value) const { return writer.body(node, name, value); }
  Expression operator()(const std::vector<std::int64_t>& value) const { return numbers(value); }
  Expression operator()(const std::vector<double>& value) const { return numbers(value); }
  Expression operator()(const std::vector<Dim>& value) const { return writer.dims(value); }
  Expression operator()(const std::vector<std::string>& value) const {
    std::vector<Expression> items;
    for (const std::string& item : value) items.push_back(string(item));
    return array(std::move(items));
  }
};

template <class T, class Convert>
std::optional<AttrValue> list_of(const Item::List& items, Convert convert) {
  std::vector<T> out;
  for (const Item& item : items) {
    const std::optional<T> value = convert(item);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

AttrValue read_list(Invocation& call, const Item& item) {
  const Item::List& items = *item.get_if<Item::List>();
  const auto integer = [](const Item& i) {
    const auto* number = i.get_if<Number>();
    return number ? number->as_int64() : std::nullopt;
  };
  const auto real = [](const Item& i) -> std::optional<double> {
    const auto* number = i.get_if<Number>();
    return number ? std::optional(number->as_double()) : std::nullopt;
  };
  const auto text = [](const Item& i) -> std::optional<std::string> {
    const auto* string = i.get_if<std::string>();
    return string ? std::optional(*string) : std::nullopt;
  };
  if (auto list = list_of<std::int64_t>(items, integer)) return *list;
  if (auto list = list_of<double>(items, real)) return *list;
  if (auto list = list_of<std::string>(items, text)) return *list;
  if (auto list = list_of<Dim>(items, [](const Item& i) { return i.as_dim(); })) return *list;
  call.fail_at(item.position, "a list of numbers, strings or sizes is wanted");
}

/// `wanted` is the attribute's default, which has its type.
AttrValue read_attribute(Invocation& call, const Item& item, const AttrValue& wanted) {
  if (const auto* text = item.get_if<std::string>()) {
    if (std::holds_alternative<Body>(wanted)) return call.body(*text, item.position);
    return *text;
  }
  if (item.is_none()) return {};
  if (const auto* value = item.get_if<bool>()) return *value;
  if (const auto* dim = item.get_if<Dim>()) return *dim;
  if (const auto* wire = item.get_if<OutletId>()) {
    const auto& value = call.fact(*wire).value;
    if (!value) call.fail_at(item.position, "an attribute must be a constant");
    if (std::holds_alternative<Value>(wanted)) return *value;
    return value->tensor();
  }
  if (const auto* value = item.get_if<Number>()) {
    if (const auto integer = value->as_int64()) return *integer;
    return value->as_double();
  }
  return read_list(call, item);
}

/// A branch or loop whose bodies know the sizes in the values that they always read. The document
/// states only the types and shapes of their inputs.
TypedOp with_known_values(Invocation& call, const TypedOp& op, const OutletIds& inputs) {
  const auto* loop = op.as<strata::Loop>();
  if (!loop && !op.as<strata::If>()) return op;
  const std::size_t first =
      loop ? loop->has_trip_count : 1;  // after the trip count, or the condition
  std::vector<const Fact*> known;
  if (loop && loop->numbered) known.push_back(nullptr);
  for (std::size_t i = first; i < inputs.size(); ++i) {
    const bool is_kept = !loop || (i - first < loop->inputs.size() &&
                                   loop->inputs[i - first].kind == LoopInput::Kind::invariant);
    known.push_back(is_kept ? &call.fact(inputs[i]) : nullptr);
  }
  std::vector<Body> bodies = op.bodies();
  for (Body& body : bodies)
    if (body) body = with_known_inputs(body, known);  // the op refuses to be without one
  return op.with_bodies(bodies);
}

}  // namespace

Expression default_form(const NodeView& node, GraphWriter& writer) {
  const OpEntry* const of_core = find_core_op(node.op().name());
  const OpEntry* const entry = of_core ? of_core : entry_named(node.op().name(), writer.own_ops());
  require(entry != nullptr, ErrorKind::unsupported, "op ", node.op().name(), " is not portable");
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < node.inputs().size(); ++i)
    arguments.push_back(positional(writer.operand(node, i)));
  const AttrList defaults = entry->from_attributes({}).attributes();
  const AttrList values = node.op().attributes();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (attr_equal(values[i].value, defaults[i].value)) continue;
    const AttrValue text = shortened(values[i].value);
    const bool short_is_exact = reads_back(*entry, values[i].name, values[i].value, text);
    Expression right = std::visit(WriteAttribute{node, writer, values[i].name},
                                  short_is_exact ? text : values[i].value);
    arguments.push_back(named(std::string(values[i].name), std::move(right)));
  }
  return call(fragment_name(of_core ? kCorePrefix : kOwnPrefix, node.op().name()),
              std::move(arguments));
}

bool is_default_form(std::string_view fragment, std::span<const OpEntry> own) {
  return entry_of(fragment, own) != nullptr;
}

OutletIds read_default_form(Invocation& call) {
  const OpEntry* entry = entry_of(call.fragment(), call.own_ops());
  OutletIds inputs;
  for (const Item& item : call.positionals()) inputs.push_back(call.operand(item));
  const AttrList defaults = entry->from_attributes({}).attributes();
  AttrList attributes;
  for (const auto& [name, item] : call.named_arguments()) {
    const auto known =
        std::find_if(defaults.begin(), defaults.end(),
                     [&named = name](const NamedAttr& a) { return a.name == named; });
    if (known == defaults.end())
      call.fail_at(item.position, cat(entry->name, " has no attribute ", in_quotes(name)));
    attributes.push_back({known->name, read_attribute(call, item, known->value)});
  }
  return call.make(with_known_values(call, entry->from_attributes(attributes), inputs), inputs);
}

std::vector<std::string> default_form_names() {
  std::vector<std::string> out;
  for (const OpEntry& entry : core_ops()) out.push_back(fragment_name(kCorePrefix, entry.name));
  return out;
}

}  // namespace strata::opl
