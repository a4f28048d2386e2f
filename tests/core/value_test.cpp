#include "strata/core/value.h"

#include <doctest/doctest.h>

namespace strata {
namespace {

const ValueType kFloats = ValueType::tensor(DatumType::f32);

Value floats(float value) { return Tensor::scalar<float>(value); }

}  // namespace

TEST_CASE("value types nest, compare and print") {
  const ValueType type = ValueType::optional(ValueType::sequence(kFloats));
  CHECK(type.to_string() == "optional(sequence(tensor(f32)))");
  CHECK(type == ValueType::optional(ValueType::sequence(kFloats)));
  CHECK_FALSE(type == ValueType::sequence(kFloats));
  CHECK_FALSE(ValueType::sequence(kFloats) ==
              ValueType::sequence(ValueType::tensor(DatumType::i64)));
}

TEST_CASE("an empty sequence and an absent optional know their types") {
  const Value none = Optional{ValueType::sequence(kFloats), nullptr};
  const Value empty = Sequence{kFloats, {}};
  CHECK(none.type().to_string() == "optional(sequence(tensor(f32)))");
  CHECK(empty.type().to_string() == "sequence(tensor(f32))");
  CHECK(none.to_string() == "none(sequence(tensor(f32)))");
  CHECK(empty.to_string() == "sequence(tensor(f32)) of 0 []");
}

TEST_CASE("values are equal when type and content are") {
  const Value list = Sequence{kFloats, {floats(1), floats(2)}};
  CHECK(list == Value(Sequence{kFloats, {floats(1), floats(2)}}));
  CHECK_FALSE(list == Value(Sequence{kFloats, {floats(2), floats(1)}}));
  CHECK_FALSE(list == floats(1));
  const Value some = Optional{kFloats, std::make_shared<const Value>(floats(1))};
  CHECK(some == Value(Optional{kFloats, std::make_shared<const Value>(floats(1))}));
  CHECK_FALSE(some == Value(Optional{kFloats, nullptr}));
}

TEST_CASE("reading a value as another kind says what is there") {
  const Value list = Sequence{kFloats, {}};
  CHECK_THROWS_WITH_AS(list.tensor(), "a tensor is wanted, sequence(tensor(f32)) is given", Error);
  CHECK_THROWS_WITH_AS(floats(1).sequence(), "a sequence is wanted, tensor(f32) is given", Error);
  CHECK_THROWS_WITH_AS(floats(1).optional(), "an optional is wanted, tensor(f32) is given", Error);
}

}  // namespace strata
