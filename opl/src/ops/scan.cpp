#include <algorithm>
#include <map>
#include <set>

#include "as_read.h"
#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/unsqueeze.h"

// tract's loop: a body over slices of its inputs.

namespace strata::opl {
namespace {

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
}

/// How tract spells a name that NNEF's grammar does not allow.
std::string spelled(std::string_view name) {
  std::string out;
  if (!name.empty() && !is_letter(name[0]) && name[0] != '_') out += '_';
  for (const char c : name) out += is_letter(c) || (c >= '0' && c <= '9') ? c : '_';
  return out;
}

/// A tuple in one of the lists that connect the body to the outside. Its first item is the name of
/// a parameter or result of the body.
class Row {
 public:
  Row(Invocation& call, const Item& item)
      : call_(call), item_(item), fields_(item.get_if<Item::List>()) {
    if (fields_ == nullptr || fields_->empty()) call.fail_at(item.position, "a tuple is wanted");
  }

  std::size_t size() const { return fields_->size(); }
  Position position() const { return item_.position; }
  OutletId wire(std::size_t i) const { return call_.operand(field(i)); }
  std::string text(std::size_t i) const {
    if (const auto* value = field(i).get_if<std::string>()) return *value;
    call_.fail_at(field(i).position, cat("a string is wanted, not ", describe(field(i))));
  }
  std::int64_t integer(std::size_t i) const {
    const auto dim = field(i).as_dim();
    const auto value = dim ? dim->constant() : std::nullopt;
    if (!value)
      call_.fail_at(field(i).position, cat("an integer is wanted, not ", describe(field(i))));
    return *value;
  }

 private:
  const Item& field(std::size_t i) const {
    if (i >= fields_->size())
      call_.fail_at(item_.position,
                    cat("a tuple of ", i + 1, " or more is wanted, not of ", fields_->size()));
    return (*fields_)[i];
  }

  Invocation& call_;
  const Item& item_;
  const Item::List* fields_;
};

std::vector<Row> rows(Invocation& call, std::string_view parameter) {
  std::vector<Row> out;
  if (!call.given(parameter)) return out;
  const Item& argument = call.item(parameter);
  const auto* list = argument.get_if<Item::List>();
  if (list == nullptr)
    call.fail_at(argument.position, cat(in_quotes(parameter), " must be a list of tuples"));
  for (const Item& item : *list) out.emplace_back(call, item);
  return out;
}

/// The parameters or results that texts name: as they are or, if there is none of that name, in
/// tract's spelling.
class Places {
 public:
  template <class List>
  explicit Places(const List& named) : count_(named.size()) {
    for (std::size_t i = 0; i < count_; ++i) places_.emplace(named[i].name, i);
  }

  /// The index of the one that the text names; the number of all if it names none.
  std::size_t of(const std::string& text) const {
    const auto as_it_is = places_.find(text);
    const auto found = as_it_is == places_.end() ? places_.find(spelled(text)) : as_it_is;
    return found == places_.end() ? count_ : found->second;
  }

 private:
  std::size_t count_;
  std::map<std::string, std::size_t> places_;
};

/// For each parameter or result, the row whose field `field` names it, or null.
template <class List>
std::vector<const Row*> rows_by_name(const List& named, const std::vector<Row>& rows,
                                     std::size_t field) {
  const Places places(named);
  std::vector<const Row*> out(named.size() + 1);  // the last one for rows that name none
  for (const Row& row : rows) {
    const Row*& at = out[places.of(row.text(field))];
    if (at == nullptr) at = &row;
  }
  return out;
}

bool is_known_tensor(const Fact& fact) { return fact.is_tensor() && fact.shape.is_known(); }

/// Whether a size has a fresh symbol, to which a reader would give another name.
bool has_fresh_symbol(const Fact& fact) {
  return std::ranges::any_of(fact.shape.dims(), [](const Dim& dim) {
    return dim.any_symbol([](const std::string& name) { return SymbolScope::is_fresh_name(name); });
  });
}

/// Whether the body's inputs have exactly the facts of what comes in. A reader then infers the same
/// facts, and the sizes written in the body are right.
bool takes_inputs_as_they_are(const NodeView& node, const strata::Loop& loop) {
  for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
    const LoopInput& entry = loop.inputs[i];
    if (!is_known_tensor(node.input_fact(i))) return false;
    Fact expected = node.input_fact(i).without_value();
    if (entry.kind == LoopInput::Kind::scanned)
      expected = sliced(expected, entry.axis, entry.chunk);
    if (loop.body->input_fact(i) != expected || has_fresh_symbol(expected)) return false;
  }
  return true;
}

/// The number of rows that one iteration adds to a stack; 0 if it is not known, or if an empty
/// stack would need the sizes that the model declares.
std::int64_t rows_of(const TypedModel& body, const LoopOutput& output) {
  const Fact& part = body.output_fact(static_cast<std::size_t>(output.index));
  if (!is_known_tensor(part) || (!output.declared.empty() && !part.shape.concrete())) return 0;
  return part.shape[strata::normalized_axis(output.axis, part.shape.rank())].constant().value_or(0);
}

/// The axis of slices or of a stack, counted from the front.
Expression axis_of(const Fact& fact, std::int64_t axis) {
  return number(static_cast<std::int64_t>(strata::normalized_axis(axis, fact.shape.rank())));
}

/// Whether the loop runs over slices alone.
bool runs_over_slices(const strata::Loop& loop) {
  return !loop.has_trip_count && !loop.numbered && !loop.condition &&
         std::ranges::any_of(loop.inputs, [](const LoopInput& entry) {
           return entry.kind == LoopInput::Kind::scanned;
         });
}

/// Whether tract's loop can say what the loop gives: each result of the body once as a stack and
/// once as its last value.
bool gives_results_once(const strata::Loop& loop, const TypedModel& body) {
  std::set<std::pair<LoopOutput::Kind, std::int64_t>> seen;
  return std::ranges::all_of(loop.outputs, [&](const LoopOutput& output) {
    return seen.emplace(output.kind, output.index).second &&
           (output.kind != LoopOutput::Kind::stacked || rows_of(body, output) != 0);
  });
}

Expression step_along(std::int64_t rows, bool is_reversed) {
  return number(is_reversed ? -rows : rows);
}

Standard write_scan(const NodeView& node, GraphWriter& writer) {
  const auto& loop = *node.op().as<strata::Loop>();
  if (!runs_over_slices(loop) || !takes_inputs_as_they_are(node, loop)) return std::nullopt;
  const TypedModel read = as_read(*loop.body);
  if (!gives_results_once(loop, read)) return std::nullopt;
  const Fragment& body = writer.bound_body(node, "body", loop.body);
  std::vector<Expression> scanned, full, states, outputs;
  for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
    const LoopInput& entry = loop.inputs[i];
    const Expression parameter = string(body.parameters[i].name), wire = writer.input(node, i);
    if (entry.kind == LoopInput::Kind::scanned)
      scanned.push_back(tuple({parameter, wire, axis_of(node.input_fact(i), entry.axis),
                               step_along(entry.chunk, entry.reversed)}));
    else if (entry.kind == LoopInput::Kind::invariant)
      full.push_back(tuple({parameter, wire}));
    else
      states.push_back(tuple({parameter, wire, string(body.results[states.size()].name)}));
  }
  for (const LoopOutput& output : loop.outputs) {
    const auto index = static_cast<std::size_t>(output.index);
    const Expression result = string(body.results[index].name);
    if (output.kind == LoopOutput::Kind::stacked)
      outputs.push_back(
          tuple({result, string("full"), axis_of(read.output_fact(index), output.axis),
                 step_along(rows_of(read, output), output.reversed)}));
    else
      outputs.push_back(tuple({result, string("last"), number(0), number(1)}));
  }
  return call("tract_core_scan",
              {named("body", string(body.name)), named("scan", array(std::move(scanned))),
               named("full", array(std::move(full))), named("state", array(std::move(states))),
               named("output", array(std::move(outputs))), named("skip", number(0)),
               named("reset_every_turn", number(1)), named("external_state", number(0))});
}

/// Makes a Loop of a scan: binds each parameter of the body's fragment to an input, reads the body,
/// and puts its results in a Loop's order.
class ScanReader {
 public:
  explicit ScanReader(Invocation& call)
      : call_(call),
        fragment_(call.fragment_named("body")),
        scanned_(rows(call, "scan")),
        full_(rows(call, "full")),
        states_(rows(call, "state")),
        scanned_by_(rows_by_name(fragment_.parameters, scanned_, 0)),
        full_by_(rows_by_name(fragment_.parameters, full_, 0)),
        state_by_(rows_by_name(fragment_.parameters, states_, 0)) {}

  OutletIds read() {
    if (call_.integer("skip", 0) != 0) call_.unsupported("a scan that skips its first steps");
    if (scanned_.empty()) call_.unsupported("a scan over no input");
    std::vector<Fact> parameters;
    std::string recipe = fragment_.name;
    for (std::size_t i = 0; i < fragment_.parameters.size(); ++i) {
      parameters.push_back(bound(i));
      recipe += cat('\n', parameters.back());
    }
    body_ = call_.body_of(fragment_, parameters);
    states_first();
    const Places results(body_.outputs());
    for (const Row& row : rows(call_, "output")) add_output(row, results.of(row.text(0)));
    for (const GraphOutput& result : body_.outputs()) recipe += cat('\n', result.name);
    loop_.body = call_.shared_body(std::move(recipe), std::move(body_));
    OutletIds out = call_.make(loop_, inputs_);
    for (const std::size_t i : last_of_stack_)
      out[i] = call_.step("last", Gather{0}, {out[i], last_index()});
    return out;
  }

 private:
  /// Adds the input bound to the parameter to the loop. Returns its fact within the body.
  Fact bound(std::size_t parameter) {
    if (const Row* row = scanned_by_[parameter]) return scanned(*row);
    if (const Row* row = full_by_[parameter])
      return add_input({LoopInput::Kind::invariant}, row->wire(1));
    const Row* row = state_by_[parameter];
    if (row == nullptr)
      call_.fail(cat("nothing is bound to the parameter ",
                     in_quotes(fragment_.parameters[parameter].name), " of ", fragment_.name));
    return add_input({LoopInput::Kind::carried}, row->wire(1));
  }

  /// Slices of `chunk` rows along the axis; with a negative chunk, the last ones come first.
  Fact scanned(const Row& row) {
    const OutletId wire = row.wire(1);
    const std::int64_t axis = row.integer(2), chunk = row.integer(3);
    const std::size_t rank = call_.rank(wire);
    if (axis < 0 || static_cast<std::size_t>(axis) >= rank || chunk == 0 || chunk == INT64_MIN)
      call_.fail_at(row.position(), cat("slices of ", chunk, " along axis ", axis, " of ", rank));
    const std::int64_t size = chunk < 0 ? -chunk : chunk;
    return sliced(add_input({LoopInput::Kind::scanned, axis, size, chunk < 0}, wire), axis, size);
  }

  Fact add_input(LoopInput entry, OutletId wire) {
    loop_.inputs.push_back(entry);
    inputs_.push_back(wire);
    return call_.fact(wire).without_value();
  }

  /// Orders the results of the body as a Loop has them: the next states first. As in tract, the
  /// k-th of them belongs to the k-th state parameter, whatever names the rows pair.
  void states_first() {
    const auto by_result = rows_by_name(fragment_.results, states_, 2);
    std::vector<GraphOutput> next, others;
    for (std::size_t i = 0; i < fragment_.results.size(); ++i)
      (by_result[i] != nullptr ? next : others).push_back(body_.outputs()[i]);
    states_count_ = next.size();
    if (states_count_ != loop_.carried().size())
      call_.fail(cat(loop_.carried().size(), " states and ", states_count_, " next states"));
    next.insert(next.end(), others.begin(), others.end());
    body_.set_outputs(std::move(next));
  }

  /// Adds what the row says of the result at `place`, which is not there if the text names none.
  void add_output(const Row& row, std::size_t place) {
    if (place == fragment_.results.size())
      call_.fail_at(row.position(), cat(fragment_.name, " has no result ", in_quotes(row.text(0))));
    const auto index = static_cast<std::int64_t>(place);
    const std::string what = row.text(1);
    if (what == "full") {
      // Older files lack this field.
      const bool is_reversed = row.size() > 3 && row.integer(3) < 0;
      loop_.outputs.push_back({LoopOutput::Kind::stacked, index, row.integer(2), is_reversed});
    } else if (what != "last") {
      call_.fail_at(row.position(), cat("full or last is wanted, not ", in_quotes(what)));
    } else if (place < states_count_) {
      loop_.outputs.push_back({LoopOutput::Kind::last, index});
    } else {
      last_of_stack_.push_back(loop_.outputs.size());
      loop_.outputs.push_back(
          {LoopOutput::Kind::stacked, stacked_whole(body_.outputs()[place].outlet)});
    }
  }

  /// The number of a new result of the body: `part` with an axis in front, to be stacked along.
  std::int64_t stacked_whole(OutletId part) {
    const OutletId axes =
        body_.constant(body_.unique_name("front"), Tensor::of<std::int64_t>({1}, {0}));
    const OutletId row = body_.wire_one(body_.unique_name("row"), Unsqueeze{}, {part, axes});
    body_.add_output(body_.unique_name("row"), row);
    return static_cast<std::int64_t>(body_.outputs().size()) - 1;
  }

  OutletId last_index() { return call_.constant("minus_one", Tensor::scalar(std::int64_t{-1})); }

  Invocation& call_;
  const Fragment& fragment_;
  std::vector<Row> scanned_, full_, states_;
  std::vector<const Row*> scanned_by_, full_by_, state_by_;  ///< parameters
  strata::Loop loop_;
  OutletIds inputs_;
  TypedModel body_;
  std::size_t states_count_ = 0;
  std::vector<std::size_t> last_of_stack_;  ///< outputs of which only the last row is wanted
};

}  // namespace

void register_scan(Writers& writers) { writers.add("Loop", write_scan); }

void register_scan(Readers& readers) {
  readers.add("tract_core_scan",
              "body, scan, full, state, output, skip, reset_every_turn, external_state",
              [](Invocation& call) { return ScanReader(call).read(); });
}

}  // namespace strata::opl
