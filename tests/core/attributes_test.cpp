#include "strata/core/attributes.h"

#include <doctest/doctest.h>

#include <limits>

using namespace strata;

namespace {

enum class Side { left, right };
constexpr std::array<std::pair<Side, std::string_view>, 2> enumerators(Side) {
  return {{{Side::left, "left"}, {Side::right, "right"}}};
}

/// Fields of some types, as an op has them.
struct Sample {
  static constexpr std::string_view name = "Sample";
  Side side = Side::left;
  std::int32_t count = 7;
  std::optional<double> scale;
  Shape sizes;
  std::vector<std::uint8_t> codes;

  static constexpr auto attributes() {
    return std::tuple{attr("side", &Sample::side), attr("count", &Sample::count),
                      attr("scale", &Sample::scale), attr("sizes", &Sample::sizes),
                      attr("codes", &Sample::codes)};
  }
};

struct Plain {
  static constexpr std::string_view name = "Plain";
  static constexpr auto attributes() { return std::tuple{}; }
};

using Integers = std::vector<std::int64_t>;

}  // namespace

TEST_SUITE("attributes") {
  TEST_CASE("fields are read in the order of their list") {
    const AttrList values = attribute_values(Sample{Side::right, 3, 0.5, {2, 4}});
    REQUIRE(values.size() == 5);
    CHECK(values[0].name == "side");
    CHECK(values[0].value == AttrValue(std::string("right")));
    CHECK(values[1].name == "count");
    CHECK(values[1].value == AttrValue(std::int64_t{3}));
    CHECK(values[2].name == "scale");
    CHECK(values[2].value == AttrValue(0.5));
    CHECK(values[3].name == "sizes");
    CHECK(values[3].value == AttrValue(Integers{2, 4}));
    CHECK(attribute_values(Plain{}).empty());
  }

  TEST_CASE("fields are set by name, and those not named keep their defaults") {
    const auto op =
        op_from_attributes<Sample>({{"sizes", Integers{5}}, {"side", std::string("right")}});
    CHECK(op.side == Side::right);
    CHECK(op.count == 7);
    CHECK(!op.scale);
    CHECK(op.sizes == Shape{5});
  }

  TEST_CASE("what an op cannot be made of is refused") {
    const auto make = [](std::string_view name, AttrValue value) {
      return op_from_attributes<Sample>({{name, std::move(value)}});
    };
    CHECK_THROWS_WITH_AS(make("width", true), "op Sample has no attribute \"width\"", Error);
    CHECK_THROWS_WITH_AS(op_from_attributes<Plain>({{"side", std::string("left")}}),
                         "op Plain has no attribute \"side\"", Error);
    CHECK_THROWS_WITH_AS(make("side", std::string("top")), doctest::Contains("\"top\""), Error);
    CHECK_THROWS_WITH_AS(make("count", 0.5), "an attribute is no integer", Error);
    CHECK_THROWS_WITH_AS(make("count", std::int64_t{1} << 40), doctest::Contains("out of range"),
                         Error);
    CHECK_THROWS_WITH_AS(make("codes", Integers{1, 256}), doctest::Contains("256 is out of range"),
                         Error);
  }

  TEST_CASE("ops with the same fields are equal and hash alike") {
    const Sample a{Side::left, 1, 2.0, {3}}, b = a;
    CHECK(attributes_equal(a, b));
    CHECK(attributes_hash(a, 0) == attributes_hash(b, 0));
    for (const Sample& other : {Sample{Side::right, 1, 2.0, {3}}, Sample{Side::left, 2, 2.0, {3}},
                                Sample{Side::left, 1, {}, {3}}, Sample{Side::left, 1, 2.0, {4}}}) {
      CHECK(!attributes_equal(a, other));
      CHECK(attributes_hash(a, 0) != attributes_hash(other, 0));
    }
  }

  TEST_CASE("sequences and optionals of other contents have hashes of their own") {
    const ValueType type = ValueType::tensor(DatumType::f32);
    const auto item = [](float number) { return Value(Tensor::scalar(number)); };
    const auto hash_of = [](Value value) { return attr_hash(AttrValue(std::move(value))); };
    const auto sequence = [&](SequenceItems items) { return Sequence{type, std::move(items)}; };
    const auto optional = [&](float number) {
      return Optional{type, std::make_shared<const Value>(item(number))};
    };
    CHECK(hash_of(sequence({item(1), item(2)})) == hash_of(sequence({item(1), item(2)})));
    CHECK(hash_of(sequence({item(1), item(2)})) != hash_of(sequence({item(2), item(1)})));
    CHECK(hash_of(sequence({item(1)})) != hash_of(sequence({})));
    CHECK(hash_of(optional(1)) == hash_of(optional(1)));
    CHECK(hash_of(optional(1)) != hash_of(optional(2)));
    CHECK(hash_of(optional(1)) != hash_of(Optional{type, nullptr}));
  }

  TEST_CASE("real numbers are equal by all of their bits") {
    const auto of = [](double scale) { return Sample{Side::left, 1, scale, {}}; };
    CHECK(!attributes_equal(of(0.0), of(-0.0)));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(attributes_equal(of(nan), of(nan)));
    const AttrValue zeros = std::vector<double>{0.0, 0.0}, other = std::vector<double>{0.0, -0.0};
    CHECK(attr_equal(zeros, zeros));
    CHECK(!attr_equal(zeros, other));
  }
}
