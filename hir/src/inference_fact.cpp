#include "strata/hir/inference_fact.h"

#include <algorithm>

#include "expand.h"
#include "strata/core/ops/support.h"

namespace strata::hir {
namespace {

template <class T>
std::optional<T> unify_parts(const std::optional<T>& a, const std::optional<T>& b,
                             std::string_view what) {
  check(!a || !b || *a == *b, what, " differ");
  return a ? a : b;
}

std::optional<Dim> unify_dims(const std::optional<Dim>& a, const std::optional<Dim>& b) {
  if (!a || !b) return a ? a : b;
  check(may_be_equal(*a, *b), "size ", *a, " is not ", *b);
  return more_definite(*a, *b);
}

std::optional<PartialShape> unify_shapes(const std::optional<PartialShape>& a,
                                         const std::optional<PartialShape>& b) {
  if (!a || !b) return a ? a : b;
  check(a->size() == b->size(), "rank ", a->size(), " is not ", b->size());
  PartialShape out;
  out.reserve(a->size());
  for (std::size_t i = 0; i < a->size(); ++i) out.push_back(unify_dims((*a)[i], (*b)[i]));
  return out;
}

}  // namespace

InferenceFact::InferenceFact(const Fact& fact)
    : kind(fact.kind), value(fact.value), length(fact.length) {
  if (fact.is_tensor()) {
    dtype = fact.dtype;
    if (fact.shape.is_known())
      shape = PartialShape(fact.shape.dims().begin(), fact.shape.dims().end());
  } else {
    element = std::make_shared<const InferenceFact>(*fact.element);
  }
}

InferenceFact InferenceFact::of(std::shared_ptr<const Value> value) {
  if (!value->is_tensor() || value->tensor().dtype() == DatumType::dim)
    return InferenceFact(Fact::of(std::move(value)));
  const Tensor& tensor = value->tensor();
  InferenceFact fact = InferenceFact::tensor(
      tensor.dtype(), PartialShape(tensor.shape().begin(), tensor.shape().end()));
  fact.value = std::move(value);
  return fact;
}

InferenceFact InferenceFact::tensor(std::optional<DatumType> dtype,
                                    std::optional<PartialShape> shape) {
  InferenceFact fact;
  fact.kind = ValueType::Kind::tensor;
  fact.dtype = dtype;
  fact.shape = std::move(shape);
  return fact;
}

std::optional<Fact> InferenceFact::typed() const {
  if (!kind) return std::nullopt;
  Fact out;
  if (*kind == ValueType::Kind::tensor) {
    if (!dtype) return std::nullopt;
    std::optional<std::vector<Dim>> dims;
    if (shape) {
      dims.emplace().reserve(shape->size());
      for (const auto& dim : *shape) dims->push_back(dim ? *dim : fresh_dim());
    }
    out = Fact::tensor(*dtype, dims ? ShapeFact(*std::move(dims)) : ShapeFact::open());
  } else {
    const auto inner = element ? element->typed() : std::nullopt;
    if (!inner) return std::nullopt;
    out = *kind == ValueType::Kind::sequence ? Fact::sequence(*inner, length)
                                             : Fact::optional(*inner);
  }
  out.value = value;
  return out;
}

bool InferenceFact::operator==(const InferenceFact& other) const {
  const bool same_element =
      element == other.element || (element && other.element && *element == *other.element);
  const bool same_value = value == other.value || (value && other.value && *value == *other.value);
  return kind == other.kind && dtype == other.dtype && shape == other.shape &&
         length == other.length && same_element && same_value;
}

std::string InferenceFact::to_string() const {
  if (!kind) return "?";
  if (*kind != ValueType::Kind::tensor) {
    const std::string inner = element ? element->to_string() : "?";
    return cat(*kind == ValueType::Kind::sequence ? "sequence(" : "optional(", inner, ')');
  }
  std::string out = dtype ? cat(*dtype) : "?";
  if (!shape) return out + "[..]";
  out += '[';
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (i) out += ',';
    out += (*shape)[i] ? (*shape)[i]->to_string() : "?";
  }
  return out + ']';
}

bool covers(const InferenceFact& known, const InferenceFact& other) {
  const auto covers_part = [](const auto& part, const auto& other_part) {
    return !other_part || (part && *part == *other_part);
  };
  const bool is_tensor = other.dtype || other.shape;  // whether or not that is said
  const auto kind = is_tensor ? std::optional(ValueType::Kind::tensor) : other.kind;
  if (!covers_part(known.kind, kind) || !covers_part(known.dtype, other.dtype) ||
      !covers_part(known.length, other.length) || (other.value && !known.value))
    return false;
  if (other.shape)
    if (!known.shape || !std::equal(known.shape->begin(), known.shape->end(), other.shape->begin(),
                                    other.shape->end(), covers_part))
      return false;
  return !other.element || known.element == other.element ||
         (known.element && covers(*known.element, *other.element));
}

bool covers(const InferenceFact& known, const Fact& other) {
  if (!other.is_tensor() || known.kind != other.kind || known.dtype != other.dtype ||
      (other.value && !known.value))
    return false;
  return other.shape.is_open() ||
         (known.shape && std::equal(known.shape->begin(), known.shape->end(),
                                    other.shape.dims().begin(), other.shape.dims().end()));
}

InferenceFact merge(const InferenceFact& a, const InferenceFact& b) {
  InferenceFact out;
  out.kind = unify_parts(a.kind, b.kind, "kinds");
  out.dtype = unify_parts(a.dtype, b.dtype, "element types");
  out.shape = unify_shapes(a.shape, b.shape);
  if (out.dtype || out.shape) {
    check(!out.kind || *out.kind == ValueType::Kind::tensor,
          "only tensors have a type and a shape");
    out.kind = ValueType::Kind::tensor;
  }
  out.value = a.value ? a.value : b.value;
  out.length = unify_dims(a.length, b.length);
  if (a.element && b.element)
    out.element = std::make_shared<const InferenceFact>(merge(*a.element, *b.element));
  else
    out.element = a.element ? a.element : b.element;
  return out;
}

InferenceFact unify(const InferenceFact& a, const InferenceFact& b) {
  try {
    return merge(a, b);
  } catch (const Error& error) {
    fail(ErrorKind::invalid_model, a, " contradicts ", b, ": ", error.message());
  }
}

InferenceFact without_shapes(InferenceFact fact) {
  fact.shape.reset();
  if (fact.element)
    fact.element = std::make_shared<const InferenceFact>(without_shapes(*fact.element));
  return fact;
}

}  // namespace strata::hir
