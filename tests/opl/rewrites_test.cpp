#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/opl/model.h"
#include "support/models.h"
#include "support/op_case.h"

/// Each folder of tests/opl/rewrites is a case: `before.opl`, what declutter makes of it in
/// `after.opl`, and `case.txt`, whose lines are a word and its value:
///
///   rule <name>             the rule that is shown
///   count <n>               how often it fires; 0 where it must leave the loop alone
///   unroll never|auto|<n>   whether loops are laid out (never where nothing is said)
///   <symbol>=<size>         the size of a symbol in the runs that compare both (3 where nothing is
///                           said)
namespace strata::opl {
namespace {

namespace fs = std::filesystem;

constexpr int kRuns = 5;
constexpr std::int64_t kSize = 3;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path.string());
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

struct RewriteCase {
  std::string rule;
  std::size_t count = 0;
  Limits limits;
  Dim::Bindings sizes;
};

RewriteCase read_case(const fs::path& path) {
  RewriteCase out;
  out.limits.unroll_trips = 0;
  std::istringstream text(content_of(path));
  for (std::string word, value; text >> word;) {
    if (const auto equals = word.find('='); equals != std::string::npos) {
      out.sizes[word.substr(0, equals)] = std::stoll(word.substr(equals + 1));
      continue;
    }
    text >> value;
    REQUIRE_MESSAGE(!text.fail(), path.string());
    if (word == "rule")
      out.rule = value;
    else if (word == "count")
      out.count = std::stoul(value);
    else if (word == "unroll")
      out.limits.unroll_trips = value == "auto"    ? Limits{}.unroll_trips
                                : value == "never" ? 0
                                                   : std::stoll(value);
    else
      FAIL(path.string(), ": a line begins with ", word);
  }
  return out;
}

/// Floats in [-1, 1), integers from 0 to 3, fair bools; unknown sizes are those of the case.
class RandomInputs {
 public:
  RandomInputs(unsigned seed, const Dim::Bindings& sizes) : random_(seed), sizes_(sizes) {}

  ValueList of(const TypedModel& model) {
    ValueList out;
    for (std::size_t i = 0; i < model.inputs().size(); ++i)
      out.push_back(value(model.input_fact(i)));
    return out;
  }

 private:
  Value value(const Fact& fact) {
    REQUIRE_MESSAGE(fact.is_tensor(), "an input is no tensor");
    Shape shape;
    for (const Dim& dim : fact.shape.dims()) {
      for (const std::string& symbol : dim.symbols()) sizes_.try_emplace(symbol, kSize);
      shape.push_back(*dim.substitute(sizes_).constant());
    }
    std::vector<float> numbers(static_cast<std::size_t>(element_count(shape)));
    for (float& number : numbers) number = one(fact.dtype);
    MutableTensor plain(DatumType::f32, shape);
    std::copy(numbers.begin(), numbers.end(), plain.as<float>().begin());
    return cast(std::move(plain).freeze(), fact.dtype);
  }

  float one(DatumType type) {
    if (type == DatumType::boolean) return static_cast<float>(random_() % 2);
    if (is_integer(type)) return static_cast<float>(random_() % 4);
    return std::uniform_real_distribution<float>(-1, 1)(random_);
  }

  std::mt19937 random_;
  Dim::Bindings sizes_;
};

void check_same_results(const TypedModel& model, const ValueList& inputs,
                        const ValueList& expected) {
  tests::check_all_close(run_model(model, inputs), expected, 1e-5, 1e-6);
}

void check_rewrite(const fs::path& folder) {
  const RewriteCase wanted = read_case(folder / "case.txt");
  const TypedModel before = from_text(content_of(folder / "before.opl"));
  TypedModel after = before;
  CHECK(tests::firings_of(declutter(after, wanted.limits), wanted.rule) == wanted.count);
  const std::string text = to_text(after);
  const std::string expected = to_text(from_text(content_of(folder / "after.opl")));
  CHECK(text == expected);
  if (wanted.count == 0) CHECK_MESSAGE(text == to_text(before), "the case stays as it is");
  CHECK(declutter(after, wanted.limits).firings.empty());
  CHECK(to_text(after) == text);

  TypedModel optimised = after;
  optimise(optimised, {}, wanted.limits);
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    const ValueList inputs = RandomInputs(seed, wanted.sizes).of(before);
    const ValueList results = run_model(before, inputs);
    check_same_results(after, inputs, results);
    check_same_results(optimised, inputs, results);
  }
}

}  // namespace

TEST_CASE("rewrites of control flow give the text that is expected, and the same results") {
  std::size_t cases = 0;
  for (const auto& folder :
       fs::directory_iterator(fs::path(STRATA_TEST_MODELS).parent_path() / "opl" / "rewrites")) {
    const std::string name = folder.path().filename().string();
    CAPTURE(name);
    check_rewrite(folder.path());
    ++cases;
  }
  CHECK(cases > 0);
}

TEST_CASE("each case of a rewrite has one in which the rule stays away, and the other way round") {
  std::map<std::string, std::array<bool, 2>> seen;
  for (const auto& folder :
       fs::directory_iterator(fs::path(STRATA_TEST_MODELS).parent_path() / "opl" / "rewrites")) {
    const RewriteCase each = read_case(folder.path() / "case.txt");
    seen[each.rule][each.count > 0] = true;
  }
  for (const auto& rule : seen) {
    CAPTURE(rule.first);
    CHECK(rule.second[0]);
    CHECK(rule.second[1]);
  }
}

}  // namespace strata::opl
