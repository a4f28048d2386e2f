#include "strata/core/ops/string_normalizer.h"

#include <doctest/doctest.h>

#include "support/libraries.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

std::string changed(const std::string& text, StringCase change) {
  const StringNormalizer op{change, StopWordMatch::exact, {}};
  return op.eval(TensorList{Tensor::of<std::string>({1}, {text})})[0].as<std::string>()[0];
}

bool has_unicode() {
  provide_libraries();
  try {
    changed("\u00e9", StringCase::upper);
    return true;
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unsupported);
    return false;
  }
}

struct Change {
  std::string from;
  std::string to;
};

void check_changes(StringCase change, const std::vector<Change>& cases) {
  if (!has_unicode()) return;
  for (const Change& c : cases) CHECK(changed(c.from, change) == c.to);
}

Tensor words(std::initializer_list<std::string> list) {
  return Tensor::of<std::string>({static_cast<std::int64_t>(list.size())}, list);
}

}  // namespace

TEST_SUITE("string_normalizer") {
  TEST_CASE("string_normalizer takes out stop words") {
    check_op((StringNormalizer{StringCase::upper, StopWordMatch::exact, {"monday"}}),
             {words({"monday", "tuesday", "Monday"})}, {words({"TUESDAY", "MONDAY"})});
    check_op((StringNormalizer{StringCase::lower, StopWordMatch::ignoring_case, {"monday"}}),
             {Tensor::of<std::string>({1, 3}, {"Monday", "TUESDAY", "monday"})},
             {Tensor::of<std::string>({1, 1}, {"tuesday"})});
    check_op((StringNormalizer{StringCase::keep, StopWordMatch::exact, {"a"}}), {words({"a"})},
             {words({""})});
    check_op((StringNormalizer{StringCase::keep, StopWordMatch::ignoring_case, {"A"}}),
             {words({"a", "B"})}, {words({"B"})});
  }

  // Expected: Unicode's SpecialCasing, as Python's upper() has it.
  TEST_CASE("string_normalizer makes upper case of letters beyond ASCII") {
    check_changes(StringCase::upper, {{"stra\u00dfe", "STRASSE"},
                                      {"\ufb01n", "FIN"},  // a ligature
                                      {"\u00ff\u01c6", "\u0178\u01c4"},
                                      {"\u0149", "\u02bcN"},
                                      {"\u0131i", "II"},  // Turkish dotless i
                                      {"\u03c3\u03c2", "\u03a3\u03a3"},
                                      {"\u1fb3", "\u0391\u0399"},  // alpha with iota below
                                      {"\u0390", "\u0399\u0308\u0301"},
                                      {"\u10d0", "\u1c90"},          // Georgian
                                      {"\U00010428", "\U00010400"},  // Deseret
                                      {"\u65e5\u672ca", "\u65e5\u672cA"}});
  }

  // Expected: Unicode's SpecialCasing, as Python's lower() has it.
  TEST_CASE("string_normalizer makes lower case of letters beyond ASCII") {
    check_changes(StringCase::lower,
                  {{"\u00c4\u00d6\u00dc\u1e9e", "\u00e4\u00f6\u00fc\u00df"},
                   {"\u0130I", "i\u0307i"},  // Turkish dotted I
                   {"\u212a\u00c9", "k\u00e9"},
                   {"\u03a3\u0391\u03a3 \u03a3", "\u03c3\u03b1\u03c2 \u03c3"},  // final sigma
                   {"\u0391\u03a3.\u0392", "\u03b1\u03c3.\u03b2"},  // not final before a letter
                   {"\U00010400", "\U00010428"},
                   {"\u65e5\u672cA", "\u65e5\u672ca"}});
  }

  TEST_CASE("string_normalizer compares words by the case they end in") {
    if (!has_unicode()) return;
    check_op((StringNormalizer{StringCase::lower, StopWordMatch::ignoring_case, {"\u00dcBER"}}),
             {words({"\u00fcber", "unter"})}, {words({"unter"})});
    check_op((StringNormalizer{StringCase::upper, StopWordMatch::ignoring_case, {"stra\u00dfe"}}),
             {words({"Strasse", "weg"})}, {words({"WEG"})});
    check_op((StringNormalizer{StringCase::keep, StopWordMatch::ignoring_case, {"stra\u00dfe"}}),
             {words({"Strasse", "STRA\u1e9eE"})}, {words({"Strasse"})});
    check_op((StringNormalizer{StringCase::keep, StopWordMatch::exact, {"\u00fcber"}}),
             {words({"\u00dcber", "\u00fcber"})}, {words({"\u00dcber"})});
  }

  TEST_CASE("string_normalizer leaves strings alone whose case does not matter") {
    check_op((StringNormalizer{StringCase::keep, StopWordMatch::exact, {"a"}}),
             {words({"\xff", "a"})}, {words({"\xff"})});
    check_op(StringNormalizer{}, {words({"\u00e9", "\xff"})}, {words({"\u00e9", "\xff"})});
  }

  TEST_CASE("string_normalizer_c1: two rows") {
    CHECK_THROWS_WITH_AS(
        facts_of(StringNormalizer{}, {Fact::tensor(DatumType::string, Shape{2, 2})}),
        doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("string_normalizer_c2: not UTF-8") {
    if (!has_unicode()) return;
    CHECK_THROWS_WITH_AS(changed("ab\xc3", StringCase::upper),
                         R"((C2) a string is not UTF-8 at byte 2, after "ab")", Error);
    // A byte of none, an overlong slash, half a surrogate pair, and a number past the last one.
    for (const char* text : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"})
      CHECK_THROWS_WITH_AS(changed(text, StringCase::lower), doctest::Contains("(C2)"), Error);
    CHECK_THROWS_WITH_AS(
        (StringNormalizer{StringCase::keep, StopWordMatch::ignoring_case, {"\xff"}}.eval(
            TensorList{words({"a"})})),
        doctest::Contains("(C2)"), Error);
  }
}
