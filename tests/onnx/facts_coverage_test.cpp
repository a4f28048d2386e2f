#include <map>
#include <set>

#include "facts_backward.h"
#include "strata/onnx/op_catalogue.h"

namespace strata::testing {
namespace {

/// The ops through which nothing flows backward, and why.
const std::map<std::string, std::string> kForwardOnly{
    {"BlackmanWindow", "the size is one number, of any integer type"},
    {"Constant", "no inputs"},
    {"HammingWindow", "the size is one number, of any integer type"},
    {"HannWindow", "the size is one number, of any integer type"},
    {"MelWeightMatrix", "its inputs are numbers, each of any type of its kind"},
    {"OptionalHasElement", "whether there is a value says nothing of its type"},
    {"RandomNormal", "no inputs"},
    {"RandomUniform", "no inputs"},
    {"SequenceEmpty", "no inputs"},
    {"SequenceLength", "a count says nothing of the type of what is counted"},
    {"SequenceMap", "a loop over a sequence, whose body alone relates items to items"},
    {"Size", "a count says nothing of the type and the rank of what is counted"},
};

std::set<std::string> known_ops() {
  std::set<std::string> out;
  for (const auto& entry : onnx::op_catalogue())
    out.insert(entry.domain == "ai.onnx" ? std::string(entry.name)
                                         : cat(entry.domain, '.', entry.name));
  return out;
}

/// The ops of rows whose inputs know more afterwards.
std::set<std::string> ops_with_rows() {
  std::set<std::string> out;
  for (const FactCase& row : backward_rows())
    if (Side(row.before).inputs != Side(row.after).inputs)
      out.insert(row.op.substr(0, row.op.find_first_of("<@")));
  return out;
}

}  // namespace

TEST_CASE("facts flow backward through every op, or it is listed why not") {
  const auto known = known_ops(), with_rows = ops_with_rows();
  for (const std::string& op : known) {
    CAPTURE(op);
    CHECK(with_rows.contains(op) != kForwardOnly.contains(op));
  }
  for (const auto& row : kForwardOnly) {
    CAPTURE(row.first);
    CHECK(known.contains(row.first));
    CHECK(!row.second.empty());
  }
}

}  // namespace strata::testing
