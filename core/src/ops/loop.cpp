#include "strata/core/ops/loop.h"

#include <algorithm>
#include <charconv>

#include "computable.h"
#include "ops/body_facts.h"
#include "strata/core/only_number.h"
#include "strata/core/rank.h"
#include "strata/core/typed_model.h"

namespace strata {
namespace {

struct Words {
  std::string word;
  std::vector<std::int64_t> numbers;
};

/// `word(a,b,c)` as its word and integers. Throws: invalid_model for other text.
Words parse_words(const std::string& text) {
  Words out;
  const auto open = text.find('(');
  out.word = text.substr(0, open);
  if (open == std::string::npos) return out;
  std::size_t at = open + 1;
  while (at < text.size() && text[at] != ')') {
    const auto end = text.find_first_of(",)", at);
    const auto digits = text.substr(at, end - at);
    const char *const first = digits.data(), *const last = first + digits.size();
    std::int64_t number = 0;
    check(end != std::string::npos && digits.size() < 18 &&
              std::from_chars(first, last, number).ptr == last && first != last,
          in_quotes(text), " is no loop entry");
    out.numbers.push_back(number);
    at = text[end] == ',' ? end + 1 : end;
  }
  return out;
}

template <class T>
AttrValue texts_of(const std::vector<T>& entries) {
  std::vector<std::string> out;
  for (const T& entry : entries) out.push_back(entry.to_string());
  return out;
}

/// The dim of the trip count as M states it.
std::optional<Dim> stated_trips(const Fact& m) {
  const auto stated = only_dim(m);
  return stated ? std::optional(max(*stated, 0)) : std::nullopt;
}

/// The trips of a loop without a condition.
std::optional<Dim> trips_of_entries(const Loop& loop, Facts in) {
  std::optional<Dim> trips;
  if (loop.has_trip_count) {
    trips = stated_trips(in[0]);
    if (!trips) return std::nullopt;
  }
  for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
    const LoopInput& input = loop.inputs[i];
    if (input.kind != LoopInput::Kind::scanned) continue;
    const ShapeFact& shape = in[i + loop.has_trip_count].shape;
    if (shape.is_open()) return std::nullopt;
    const Dim extent = floor_div(shape[normalized_axis(input.axis, shape.rank())], input.chunk);
    // Extents must agree, so any one of them tells; an integer tells most.
    if (!trips)
      trips = extent;
    else if (loop.has_trip_count)
      trips = min(*trips, extent);
    else if (extent.is_constant())
      trips = extent;
  }
  return trips;
}

/// Checks that the body has an input for each entry, and an output for each carried value.
void check_counts(const Loop& loop, Facts in) {
  check(loop.body != nullptr, "(C1) the loop has no body");
  const TypedModel& body = *loop.body;
  check(in.size() == loop.inputs.size() + loop.has_trip_count, "(C1) the loop has ",
        loop.inputs.size(), " entries, ", counted(in.size(), "input"));
  check(body.inputs().size() == loop.inputs.size() + loop.numbered, "(C1) the body has ",
        counted(body.inputs().size(), "input"), " for ", loop.inputs.size(), " entries");
  check(body.outputs().size() >= loop.carried().size(), "(C2) the body has ",
        counted(body.outputs().size(), "output"), " for ",
        counted(loop.carried().size(), "carried value"));
}

/// Checks that the body takes the number of an iteration and what the entries give it: slices of
/// what is scanned.
void check_entries(const Loop& loop, Facts in) {
  if (loop.numbered) check_given("(C1)", *loop.body, 0, Fact::tensor(DatumType::i64, Shape{}));
  for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
    Fact given = in[i + loop.has_trip_count].without_value();
    const LoopInput& input = loop.inputs[i];
    if (input.kind == LoopInput::Kind::scanned && given.is_tensor() && given.shape.is_known()) {
      std::vector<Dim> dims = given.shape.dims();
      dims[normalized_axis(input.axis, dims.size())] = input.chunk;
      given.shape = std::move(dims);
    }
    check_given("(C1)", *loop.body, i + loop.numbered, given);
  }
}

/// Checks that the trip count is an integer, the condition a bool, and each carried value of one
/// type and of what the body says it is.
void check_kinds(const Loop& loop, Facts in) {
  const TypedModel& body = *loop.body;
  const std::vector<std::size_t> carried = loop.carried();
  if (loop.has_trip_count)
    check(is_integer(in[0].dtype) && in[0].is_tensor(), "(C3) the trip count is ",
          in[0].without_value());
  if (const auto k = loop.condition)
    check(*k >= 0 && *k < static_cast<std::int64_t>(carried.size()) &&
              body.input_fact(carried[static_cast<std::size_t>(*k)] + loop.numbered).dtype ==
                  DatumType::boolean,
          "(C4) the condition is no carried bool");
  for (std::size_t k = 0; k < carried.size(); ++k) {
    const Fact& before = in[carried[k] + loop.has_trip_count];
    const Fact& inside = body.input_fact(carried[k] + loop.numbered);
    const Fact& after = body.output_fact(k);
    check(before.type() == after.type(), "(C7) carried value ", k, " is ", before.type(),
          " and becomes ", after.type());
    check(compatible(inside, after), "(C7) carried value ", k, " is ", inside.without_value(),
          " in the body and becomes ", after.without_value());
  }
}

/// Checks that the scanned inputs of known extent have equally many slices.
void check_extents(const Loop& loop, Facts in) {
  std::optional<std::int64_t> slices;
  for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
    const LoopInput& input = loop.inputs[i];
    const ShapeFact& shape = in[i + loop.has_trip_count].shape;
    if (input.kind != LoopInput::Kind::scanned || shape.is_open()) continue;
    const auto extent = shape[normalized_axis(input.axis, shape.rank())].constant();
    if (!extent) continue;
    check(*extent % input.chunk == 0, "(C5) an extent of ", *extent,
          " does not divide into chunks of ", input.chunk);
    check(!slices || *slices == *extent / input.chunk, "(C5) scanned inputs have ",
          slices.value_or(0), " and ", *extent / input.chunk, " slices");
    slices = *extent / input.chunk;
  }
}

/// The size of what begins with `first` and grows by as much in each iteration; nothing where the
/// iterations are not known, or more than a size can count.
std::optional<Dim> grown(const Dim& first, std::int64_t growth, const std::optional<Dim>& trips) {
  if (growth == 0) return first;
  if (growth < 0 || !trips) return std::nullopt;  // what shrinks may end before the loop does
  try {
    return first + growth * *trips;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A carried value: its number among them, and the entry it comes in by.
struct Carried {
  std::size_t k;
  std::size_t entry;
};

/// The shape of the last of a carried value, of which `known` is known but for what it has grown
/// to.
ShapeFact grown(const Loop& loop, Carried carried, Facts in, const std::optional<Dim>& trips,
                ShapeFact known) {
  const ShapeFact& first = in[carried.entry + loop.has_trip_count].shape;
  if (known.is_open() || first.is_open() || known.rank() != first.rank()) return known;
  std::vector<Dim> dims = known.dims();
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis].is_constant()) continue;
    const auto growth = loop.growth(carried.k, axis);
    if (const auto size = growth ? grown(first[axis], *growth, trips) : std::nullopt)
      dims[axis] = *size;
  }
  return dims;
}

/// The value of the body that an output names, of so many. Throws: invalid_model when it is not
/// there.
std::size_t named_value(const LoopOutput& output, std::size_t count) {
  check(output.index >= 0 && output.index < static_cast<std::int64_t>(count),
        "(C6) a loop output names value ", output.index, ", which is not there");
  return static_cast<std::size_t>(output.index);
}

Fact last_fact(const Loop& loop, Carried carried, Facts in, const std::optional<Dim>& trips) {
  Fact last = outer_view(loop.body->input_fact(carried.entry + loop.numbered), in);
  last.shape = grown(loop, carried, in, trips, std::move(last.shape));
  return last.without_value();
}

Fact stacked_fact(const Loop& loop, const LoopOutput& output, Facts in,
                  const std::optional<Dim>& trips) {
  const std::size_t index = named_value(output, loop.body->outputs().size());
  Fact part = outer_view(loop.body->output_fact(index), in).without_value();
  check(part.is_tensor(), "(C6) a ", part.type(), " cannot be stacked");
  check(output.axis >= -kMostAxes && output.axis < kMostAxes, "(C6) stacked along axis ",
        output.axis);
  if (part.shape.is_open()) return part;
  check(output.declared.empty() || output.declared.size() == part.shape.rank(),
        "(C6) a part of rank ", part.shape.rank(), " is declared to have ", output.declared.size(),
        " axes");
  std::vector<Dim> dims = part.shape.dims();
  Dim& extent = dims[normalized_axis(output.axis, dims.size())];
  extent = trips && extent.is_constant() ? extent * *trips : fresh_dim();
  part.shape = std::move(dims);
  return part;
}

}  // namespace

std::string LoopInput::to_string() const {
  switch (kind) {
    case Kind::invariant:
      return "invariant";
    case Kind::carried:
      return "carried";
    case Kind::scanned:
      return cat("scanned(", axis, ',', chunk, ',', reversed ? 1 : 0, ')');
  }
  fail(ErrorKind::internal, "an unknown kind of loop input");
}

std::string LoopOutput::to_string() const {
  if (kind == Kind::last) return cat("last(", index, ')');
  std::string text = cat("stacked(", index, ',', axis, ',', reversed ? 1 : 0);
  for (const std::int64_t size : declared) text += cat(',', size);
  return text + ')';
}

AttrValue to_attr(const std::vector<LoopInput>& inputs) { return texts_of(inputs); }
AttrValue to_attr(const std::vector<LoopOutput>& outputs) { return texts_of(outputs); }

void from_attr(const AttrValue& value, std::vector<LoopInput>& inputs) {
  std::vector<std::string> texts;
  from_attr(value, texts);
  for (const std::string& text : texts) {
    const Words words = parse_words(text);
    using Kind = LoopInput::Kind;
    if (words.word == "invariant")
      inputs.push_back({Kind::invariant});
    else if (words.word == "carried")
      inputs.push_back({Kind::carried});
    else if (words.word == "scanned" && words.numbers.size() == 3 && words.numbers[1] > 0)
      inputs.push_back({Kind::scanned, words.numbers[0], words.numbers[1], words.numbers[2] != 0});
    else
      fail(ErrorKind::invalid_model, in_quotes(text), " is no loop input");
  }
}

void from_attr(const AttrValue& value, std::vector<LoopOutput>& outputs) {
  std::vector<std::string> texts;
  from_attr(value, texts);
  for (const std::string& text : texts) {
    const Words words = parse_words(text);
    using Kind = LoopOutput::Kind;
    if (words.word == "last" && words.numbers.size() == 1)
      outputs.push_back({Kind::last, words.numbers[0]});
    else if (words.word == "stacked" && words.numbers.size() >= 3)
      outputs.push_back({Kind::stacked, words.numbers[0], words.numbers[1], words.numbers[2] != 0,
                         Shape(words.numbers.begin() + 3, words.numbers.end())});
    else
      fail(ErrorKind::invalid_model, in_quotes(text), " is no loop output");
  }
}

std::vector<std::size_t> Loop::carried() const {
  std::vector<std::size_t> out;
  out.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].kind == LoopInput::Kind::carried) out.push_back(i);
  return out;
}

std::optional<Dim> Loop::trip_count(Facts in) const {
  if (condition) return std::nullopt;
  return if_computable([&] { return trips_of_entries(*this, in); });
}

std::optional<std::int64_t> Loop::growth(std::size_t k, std::size_t axis) const {
  const ShapeFact& before = body->input_fact(carried()[k] + numbered).shape;
  const ShapeFact& after = body->output_fact(k).shape;
  if (before.is_open() || after.is_open() || before.rank() != after.rank()) return std::nullopt;
  return (after[axis] - before[axis]).constant();
}

FactList Loop::output_facts(Facts in) const {
  check_counts(*this, in);
  check_kinds(*this, in);
  check_extents(*this, in);
  check_entries(*this, in);
  const auto trips = trip_count(in);
  const std::vector<std::size_t> entries = carried();
  FactList out;
  for (const LoopOutput& output : outputs) {
    if (output.kind == LoopOutput::Kind::stacked) {
      out.push_back(stacked_fact(*this, output, in, trips));
    } else {
      const std::size_t k = named_value(output, entries.size());
      out.push_back(last_fact(*this, {k, entries[k]}, in, trips));
    }
  }
  return out;
}

Cost Loop::cost(Facts in, Facts) const {
  const auto trips = trip_count(in);
  const auto count = trips ? trips->constant() : std::nullopt;
  Cost cost = body->cost();
  cost.flops *= static_cast<double>(count.value_or(1));
  cost.bytes_read *= static_cast<double>(count.value_or(1));
  cost.bytes_written *= static_cast<double>(count.value_or(1));
  return cost;
}

}  // namespace strata
