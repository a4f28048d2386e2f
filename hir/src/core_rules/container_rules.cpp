#include "core_rules.h"

namespace strata::hir {
namespace {

/// `whole` is a container of what is of the type of `part`; an optional holds `part` itself.
Equation type_holds(ValueType::Kind container, const PortProxy& whole, const PortProxy& part) {
  Equation out = type_equal(whole, part);
  out.right.number = static_cast<std::int64_t>(container);
  return out;
}

Equation is_sequence_of(const PortProxy& whole, const PortProxy& item) {
  return type_holds(ValueType::Kind::sequence, whole, item);
}

Equation is_optional_of(const PortProxy& whole, const PortProxy& held) {
  return type_holds(ValueType::Kind::optional, whole, held);
}

void sequence_construct(Rules& r, const CoreOp&) {
  for (std::size_t i = 0; i < r.input_count(); ++i)
    r.require(is_sequence_of(out_of(r), r.input(i, "inputs")));
}

void sequence_insert(Rules& r, const CoreOp&) {
  r.require(type_equal(out_of(r), data_of(r)));
  r.require(is_sequence_of(data_of(r), r.input(1, "tensor")));
}

void sequence_erase(Rules& r, const CoreOp&) { r.require(type_equal(out_of(r), data_of(r))); }

/// One item, or all of them joined.
void taken_from_sequence(Rules& r, const CoreOp&) {
  r.require(is_sequence_of(data_of(r), out_of(r)));
}

void split_to_sequence(Rules& r, const CoreOp&) {
  r.require(is_sequence_of(out_of(r), data_of(r)));
}

void optional_of(Rules& r, const CoreOp&) { r.require(is_optional_of(out_of(r), data_of(r))); }

/// What is no optional passes as it is, so nothing follows before the kind is known.
void optional_get(Rules& r, const CoreOp&) {
  const auto kind = data_of(r).fact->kind;
  if (kind == ValueType::Kind::optional) return r.require(is_optional_of(data_of(r), out_of(r)));
  if (kind) r.require(type_equal(out_of(r), data_of(r)));
  if (kind == ValueType::Kind::tensor) require_same_shape(r);
}

constexpr CoreRules kRows[] = {
    {"ConcatFromSequence", taken_from_sequence},
    {"OptionalGet", optional_get},
    {"OptionalOf", optional_of},
    {"SequenceAt", taken_from_sequence},
    {"SequenceConstruct", sequence_construct},
    {"SequenceErase", sequence_erase},
    {"SequenceInsert", sequence_insert},
    {"SplitToSequence", split_to_sequence},
};

}  // namespace

std::span<const CoreRules> container_rules() { return kRows; }

}  // namespace strata::hir
