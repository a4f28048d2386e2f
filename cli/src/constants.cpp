#include "constants.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "entries.h"
#include "inputs.h"
#include "substitute.h"

namespace strata::cli {
namespace {

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The number that `text` is, as a scalar; nothing when it is none.
std::optional<Tensor> number(std::string_view text) {
  if (const auto whole = parsed<std::int64_t>(text)) return Tensor::of<std::int64_t>({}, {*whole});
  if (const auto real = parsed<double>(text)) return Tensor::of<double>({}, {*real});
  return std::nullopt;
}

/// The shape of the one element that a fact admits.
Shape shape_of_one(const Fact& fact, std::string_view text) {
  require(fact.is_tensor(), ErrorKind::invalid_argument, "it is ", fact, ", not the number ", text);
  if (fact.shape.is_open()) return {};
  for (const Dim& dim : fact.shape.dims())
    require(!dim.is_constant() || dim == Dim(1), ErrorKind::invalid_argument, "it is ", fact,
            ", which takes more than the number ", text);
  return Shape(fact.shape.rank(), 1);
}

Value constant(const Fact& fact, const std::string& text) {
  const auto scalar = number(text);
  if (!scalar) {
    Value value = read_value_file(text, fact.type());
    const Fact given = Fact::of(value).without_value();
    require(compatible(fact.without_value(), given), ErrorKind::invalid_argument, "it is ", fact,
            ", not ", given);
    return value;
  }
  return cast(scalar->reshaped(shape_of_one(fact, text)), fact.dtype);
}

/// The values of the inputs that `sources` name, nothing for the others; `fact_of` tells what an
/// input may be.
template <class Model, class FactOf>
std::vector<std::optional<Value>> values_of(const Model& model, const ConstantSources& sources,
                                            const FactOf& fact_of) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) names.push_back(model.input_name(i));
  std::vector<std::optional<Value>> out(names.size());
  for (const auto& [name, text] : sources) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) fail_unknown_name("input", name, names);
    const auto i = static_cast<std::size_t>(at - names.begin());
    try {
      out[i] = constant(fact_of(i), text);
    } catch (Error& error) {
      throw error.in(cat("input ", in_quotes(name)));
    }
  }
  return out;
}

}  // namespace

void fix_inputs(hir::InferenceModel& model, const ConstantSources& sources) {
  const auto values = values_of(model, sources, [&](std::size_t i) {
    const FreshSymbols fresh(*model.symbols());
    const auto fact = model.fact(model.inputs()[i]).typed();
    require(fact.has_value(), ErrorKind::invalid_argument, "its type is not known");
    return *fact;
  });
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i]) model.set_fact(model.inputs()[i], hir::InferenceFact(Fact::of(*values[i])));
}

TypedModel to_typed(const hir::InferenceModel& model, const ConstantSources& sources) {
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    const FreshSymbols fresh(*model.symbols());
    const auto fact = model.fact(model.inputs()[i]).typed();
    const std::string& name = model.input_name(i);
    require(fact.has_value(), ErrorKind::invalid_model, "the type of input ", in_quotes(name),
            " is not known");
    const bool is_fixed = std::any_of(sources.begin(), sources.end(),
                                      [&](const auto& source) { return source.first == name; });
    facts.push_back(is_fixed ? *fact : fact->without_value());
  }
  return model.expand(facts, model.symbols());
}

TypedModel with_constants(const TypedModel& model, const ConstantSources& sources) {
  const auto values = values_of(model, sources, [&](std::size_t i) { return model.input_fact(i); });
  std::vector<const Value*> pointers;
  for (const auto& value : values) pointers.push_back(value ? &*value : nullptr);
  return with_constants(model, pointers);
}

}  // namespace strata::cli
