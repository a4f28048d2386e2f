#include "strata/core/fact.h"

#include <algorithm>

#include "strata/core/fact_dims.h"
#include "strata/core/ops/support.h"
#include "strata/core/rank.h"

namespace strata {
namespace {

thread_local SymbolScope* fresh_scope = nullptr;

/// Values of more elements are not shown.
constexpr std::int64_t kShownElements = 8;

bool same_value(const std::shared_ptr<const Value>& a, const std::shared_ptr<const Value>& b) {
  return a == b || (a && b && *a == *b);
}

void check_same_type(const Fact& a, const Fact& b) {
  if (a.kind != b.kind || (a.is_tensor() && a.dtype != b.dtype))
    fail(ErrorKind::invalid_model, "type ", a.type(), " is not ", b.type());
}

/// The dim of a wire that has either: the common one, or a fresh one.
Dim join_dims(const Dim& a, const Dim& b) { return a == b ? a : fresh_dim(); }

ShapeFact join_shapes(const ShapeFact& a, const ShapeFact& b) {
  if (a.is_open() || b.is_open() || a.rank() != b.rank()) return ShapeFact::open();
  if (a == b) return a;
  std::vector<Dim> dims;
  for (std::size_t i = 0; i < a.rank(); ++i) dims.push_back(join_dims(a[i], b[i]));
  return dims;
}

ShapeFact meet_shapes(const ShapeFact& a, const ShapeFact& b) {
  if (a.is_open()) return b;
  if (b.is_open()) return a;
  if (a == b) return a;
  check(a.rank() == b.rank(), "shape ", a, " contradicts ", b);
  std::vector<Dim> dims;
  dims.reserve(a.rank());
  for (std::size_t i = 0; i < a.rank(); ++i) {
    check(may_be_equal(a[i], b[i]), "shape ", a, " contradicts ", b);
    dims.push_back(more_definite(a[i], b[i]));
  }
  return dims;
}

bool compatible_shapes(const ShapeFact& a, const ShapeFact& b) {
  if (a.is_open() || b.is_open() || a == b) return true;
  return std::equal(a.dims().begin(), a.dims().end(), b.dims().begin(), b.dims().end(),
                    may_be_equal);
}

}  // namespace

Fact Fact::tensor(DatumType dtype, ShapeFact shape) {
  Fact fact;
  fact.dtype = dtype;
  fact.shape = std::move(shape);
  return fact;
}

Fact Fact::sequence(Fact element, std::optional<Dim> length) {
  Fact fact;
  fact.kind = ValueType::Kind::sequence;
  fact.element = std::make_shared<const Fact>(std::move(element));
  fact.length = std::move(length);
  return fact;
}

Fact Fact::optional(Fact element) {
  Fact fact;
  fact.kind = ValueType::Kind::optional;
  fact.element = std::make_shared<const Fact>(std::move(element));
  return fact;
}

Fact Fact::of(std::shared_ptr<const Value> value) {
  Fact fact;
  if (value->is_tensor()) {
    const Tensor& tensor = value->tensor();
    fact.dtype = tensor.dtype() == DatumType::dim ? DatumType::i64 : tensor.dtype();
    fact.shape = tensor.shape();
  } else {
    fact = Fact::any(value->type());
    if (fact.kind == ValueType::Kind::sequence) {
      const Sequence& sequence = value->sequence();
      fact.length = Dim(sequence.items.size());
      if (!sequence.items.empty()) {
        Fact element = Fact::of(sequence.items[0]).without_value();
        for (const Value& item : sequence.items) {
          const Fact next = Fact::of(item).without_value();
          // Without a symbol scope there are no fresh symbols for sizes that differ.
          element = fresh_scope || next == element ? join(element, next) : Fact::any(next.type());
        }
        fact.element = std::make_shared<const Fact>(std::move(element));
      }
    }
  }
  fact.value = std::move(value);
  return fact;
}

Fact Fact::any(const ValueType& type) {
  switch (type.kind) {
    case ValueType::Kind::tensor:
      return tensor(type.dtype, ShapeFact::open());
    case ValueType::Kind::sequence:
      return sequence(any(*type.element));
    case ValueType::Kind::optional:
      return optional(any(*type.element));
  }
  fail(ErrorKind::internal, "an unknown kind of value");
}

ValueType Fact::type() const {
  switch (kind) {
    case ValueType::Kind::tensor:
      return ValueType::tensor(dtype);
    case ValueType::Kind::sequence:
      return ValueType::sequence(element->type());
    case ValueType::Kind::optional:
      return ValueType::optional(element->type());
  }
  fail(ErrorKind::internal, "an unknown kind of value");
}

Fact Fact::without_value() const {
  Fact fact = *this;
  fact.value.reset();
  return fact;
}

const Tensor* Fact::constant() const {
  if (!value || !value->is_tensor() || value->tensor().dtype() == DatumType::dim) return nullptr;
  return &value->tensor();
}

std::optional<bool> Fact::truth() const {
  const Tensor* known = constant();
  if (!known || known->dtype() != DatumType::boolean || known->size() != 1) return std::nullopt;
  return known->as<bool>()[0];
}

void for_each_dim(const Fact& fact, const std::function<void(const Dim&)>& visit) {
  if (fact.element) for_each_dim(*fact.element, visit);
  if (fact.length) visit(*fact.length);
  if (fact.is_tensor() && fact.shape.is_known())
    for (const Dim& dim : fact.shape.dims()) visit(dim);
}

std::optional<std::vector<Dim>> Fact::dims() const {
  if (!value || !value->is_tensor()) return std::nullopt;
  const Tensor& tensor = value->tensor();
  if (tensor.rank() > 1 || !(is_integer(dtype) || tensor.dtype() == DatumType::dim))
    return std::nullopt;
  return to_dims(tensor);
}

std::optional<Shape> Fact::integers() const {
  const Tensor* tensor = constant();
  if (!tensor || !is_integer(dtype)) return std::nullopt;
  return to_integers(*tensor);
}

bool Fact::operator==(const Fact& other) const {
  const bool same_element =
      element == other.element || (element && other.element && *element == *other.element);
  return kind == other.kind && dtype == other.dtype && shape == other.shape && same_element &&
         length == other.length && same_value(value, other.value);
}

bool Fact::is_same(const Fact& other) const {
  return kind == other.kind && dtype == other.dtype && element == other.element &&
         value == other.value && shape == other.shape && length == other.length;
}

std::string Fact::to_string() const {
  if (kind == ValueType::Kind::optional) return cat("optional(", *element, ')');
  if (kind == ValueType::Kind::sequence)
    return length ? cat("sequence(", *element, ", length ", *length, ')')
                  : cat("sequence(", *element, ')');
  std::string out = cat(dtype, shape);
  if (value && value->is_tensor() && value->tensor().size() <= kShownElements) {
    const std::string text = value->to_string();
    if (const auto at = text.find(' '); at != std::string::npos)
      out += cat(" = ", text.substr(at + 1));
  }
  return out;
}

Fact join(const Fact& a, const Fact& b) {
  check_same_type(a, b);
  Fact out = a;
  out.value = same_value(a.value, b.value) ? a.value : nullptr;
  if (a.kind == ValueType::Kind::tensor) {
    out.shape = join_shapes(a.shape, b.shape);
  } else {
    out.element = std::make_shared<const Fact>(join(*a.element, *b.element));
    if (a.length != b.length) out.length = std::nullopt;
  }
  return out;
}

Fact meet(const Fact& a, const Fact& b) {
  check_same_type(a, b);
  Fact out = a;
  if (!out.value || (!out.constant() && b.constant())) out.value = b.value ? b.value : out.value;
  if (a.kind == ValueType::Kind::tensor) {
    out.shape = meet_shapes(a.shape, b.shape);
  } else {
    out.element = std::make_shared<const Fact>(meet(*a.element, *b.element));
    if (!out.length || (b.length && b.length->is_constant()))
      out.length = b.length ? b.length : out.length;
  }
  return out;
}

bool compatible(const Fact& fact, const Fact& value) {
  if (fact.kind != value.kind) return false;
  if (fact.kind == ValueType::Kind::tensor)
    return fact.dtype == value.dtype && compatible_shapes(fact.shape, value.shape);
  if (fact.length && value.length && !may_be_equal(*fact.length, *value.length)) return false;
  return compatible(*fact.element, *value.element);
}

Dim fresh_dim() {
  require(fresh_scope != nullptr, ErrorKind::internal, "a fresh dim is made outside of a model");
  return fresh_scope->fresh();
}

ShapeFact fresh_shape(std::size_t rank) {
  require(std::cmp_less_equal(rank, kMostAxes), ErrorKind::limit, "a tensor of ", rank,
          " axes, at most ", kMostAxes, " are possible");
  std::vector<Dim> dims;
  for (std::size_t i = 0; i < rank; ++i) dims.push_back(fresh_dim());
  return dims;
}

FreshSymbols::FreshSymbols(SymbolScope& scope) : outer_(std::exchange(fresh_scope, &scope)) {}
FreshSymbols::~FreshSymbols() { fresh_scope = outer_; }

std::size_t normalized_axis(std::int64_t axis, std::size_t rank) {
  const auto wide = static_cast<std::int64_t>(rank);
  check(axis >= -wide && axis < wide, "axis ", axis, " is outside rank ", rank);
  return static_cast<std::size_t>(axis < 0 ? axis + wide : axis);
}

}  // namespace strata
