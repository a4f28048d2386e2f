#include "constants.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "inputs.h"
#include "ports.h"
#include "strata/core/transform.h"
#include "words.h"

namespace strata::cli {
namespace {

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The number that `text` is, as a scalar, which is an integer where it is whole; nothing when it
/// is none.
std::optional<Tensor> number(std::string_view text) {
  if (const auto whole = parsed<std::int64_t>(text)) return Tensor::scalar(*whole);
  if (const auto whole = parsed<std::uint64_t>(text)) return Tensor::scalar(*whole);
  const auto real = parsed<double>(text);
  if (!real) return std::nullopt;
  const bool is_whole = std::trunc(*real) == *real && std::abs(*real) < 0x1p63;
  return is_whole ? Tensor::scalar(static_cast<std::int64_t>(*real)) : Tensor::scalar(*real);
}

/// `given` as an element of `type`. A float may be rounded; nothing where it is beyond the type, or
/// it would be another integer.
std::optional<Tensor> element(const Tensor& given, DatumType type) {
  const Tensor out = cast(given, type);
  if (type == DatumType::string || is_complex(type)) return out;
  const double before = number_at(given, 0), after = number_at(out, 0);
  if (before == after) {
    const bool is_exact = given.dtype() != DatumType::f64 && cast(out, given.dtype()) == given;
    return is_float(type) || is_exact ? std::optional(out) : std::nullopt;
  }
  if (!is_float(type) || std::isnan(before) != std::isnan(after)) return std::nullopt;
  const double huge = std::copysign(std::numeric_limits<double>::max(), before);
  const bool is_beyond = after == number_at(cast(Tensor::scalar(huge), type), 0);
  return is_beyond ? std::nullopt : std::optional(out);
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
  const Shape shape = shape_of_one(fact, text);
  const auto value = element(*scalar, fact.dtype);
  require(value.has_value(), ErrorKind::invalid_argument, "it is ", fact, ", which cannot be ",
          text);
  return value->reshaped(shape);
}

/// The values of the inputs that `sources` name, nothing for the others; `fact_of` tells what an
/// input may be.
template <class Model, class FactOf>
std::vector<std::optional<Value>> values_of(const Model& model, const ConstantSources& sources,
                                            const FactOf& fact_of) {
  const std::vector<std::string> names = input_names(model);
  const auto texts = values_of_inputs(sources, names, "--const");
  std::vector<std::optional<Value>> out(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!texts[i]) continue;
    try {
      out[i] = constant(fact_of(i), *texts[i]);
    } catch (Error& error) {
      throw error.in(cat("input ", in_quotes(names[i])));
    }
  }
  return out;
}

}  // namespace

void fix_inputs(hir::InferenceModel& model, const ConstantSources& sources) {
  const auto values = values_of(model, sources, [&](std::size_t i) {
    const FreshSymbols fresh(*model.symbol_scope());
    const auto fact = model.fact(model.inputs()[i]).typed();
    require(fact.has_value(), ErrorKind::invalid_argument, "its type is not known");
    return *fact;
  });
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i]) model.set_fact(model.inputs()[i], hir::InferenceFact(Fact::of(*values[i])));
}

TypedModel to_typed(const hir::InferenceModel& model, const ConstantSources& sources) {
  std::vector<Fact> facts;
  const auto fixed = values_of_inputs(sources, input_names(model), "--const");
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    const FreshSymbols fresh(*model.symbol_scope());
    const auto fact = model.fact(model.inputs()[i]).typed();
    const std::string& name = model.input_name(i);
    require(fact.has_value(), ErrorKind::invalid_model, "the type of input ", in_quotes(name),
            " is not known");
    facts.push_back(fixed[i] ? *fact : fact->without_value());
  }
  return model.expand(facts, model.symbol_scope());
}

TypedModel with_constants(const TypedModel& model, const ConstantSources& sources) {
  const auto values = values_of(model, sources, [&](std::size_t i) { return model.input_fact(i); });
  std::vector<const Value*> pointers;
  for (const auto& value : values) pointers.push_back(value ? &*value : nullptr);
  return strata::with_constants(model, pointers);
}

}  // namespace strata::cli
