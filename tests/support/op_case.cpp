#include "support/op_case.h"

#include <doctest/doctest.h>

#include <cmath>

#include "strata/core/typed_model.h"

namespace strata::tests {

FactList facts_of(const TypedOp& op, const std::vector<Fact>& inputs) {
  SymbolScope scope;
  return infer_facts(op, GatheredFacts(inputs), scope);
}

void check_refused(const TypedOp& op, const std::vector<Fact>& inputs, const char* tag) {
  CHECK_THROWS_WITH_AS(facts_of(op, inputs), doctest::Contains(tag), Error);
}

void check_close(const Value& actual, const Value& expected, double relative, double absolute) {
  REQUIRE(actual.type() == expected.type());
  if (!expected.is_tensor() || !is_float(expected.tensor().dtype())) {
    INFO("actual ", actual.to_string(), ", expected ", expected.to_string());
    CHECK((actual == expected));
    return;
  }
  const Tensor &a = actual.tensor(), &e = expected.tensor();
  REQUIRE((a.shape() == e.shape()));
  for (std::int64_t i = 0; i < e.size(); ++i) {
    const double x = number_at(a, i), y = number_at(e, i);
    const bool same = x == y || (std::isnan(x) && std::isnan(y)) ||
                      (std::isfinite(y) && std::abs(x - y) <= absolute + relative * std::abs(y));
    INFO("element ", i, ": actual ", x, ", expected ", y);
    CHECK(same);
  }
}

void check_all_close(const ValueList& actual, const ValueList& expected, double relative,
                     double absolute) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    check_close(actual[i], expected[i], relative, absolute);
}

namespace {

/// Each size as a symbol: equal ones as the same.
Fact with_symbols(Fact fact) {
  if (!fact.is_tensor()) return fact;
  std::vector<Dim> dims = fact.shape.dims();
  for (Dim& dim : dims) dim = Dim::symbol(cat('n', dim));
  return Fact::tensor(fact.dtype, std::move(dims));
}

Dim::Bindings sizes_of(const ValueList& values) {
  Dim::Bindings sizes;
  for (const Value& value : values)
    if (value.is_tensor())
      for (const std::int64_t size : value.tensor().shape()) sizes.emplace(cat('n', size), size);
  return sizes;
}

}  // namespace

void check_op(const TypedOp& op, const ValueList& inputs, const ValueList& expected) {
  std::vector<Fact> constant, plain, symbolic, open;
  for (const Value& value : inputs) {
    constant.push_back(Fact::of(value));
    plain.push_back(constant.back().without_value());
    symbolic.push_back(with_symbols(plain.back()));
    open.push_back(Fact::any(value.type()));
  }
  const ValueList outputs = op.eval(inputs);
  REQUIRE(outputs.size() >= expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) check_close(outputs[i], expected[i]);
  const Dim::Bindings sizes = sizes_of(inputs);
  for (const auto& facts : {constant, plain, symbolic, open}) {
    const FactList promised = facts_of(op, facts);
    REQUIRE(promised.size() == outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      INFO("promised ", promised[i].to_string(), ", given ", Fact::of(outputs[i]).to_string());
      CHECK(compatible(concretize_dims(promised[i], sizes), Fact::of(outputs[i]).without_value()));
    }
  }
}

}  // namespace strata::tests
