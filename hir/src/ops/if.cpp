#include "strata/hir/ops/if.h"

#include <algorithm>

#include "strata/core/ops/if.h"
#include "strata/hir/body.h"

namespace strata::hir {
namespace {

std::optional<bool> constant_condition(const Fact& fact) {
  const Tensor* value = fact.constant();
  if (!value || value->dtype() != DatumType::boolean || value->size() != 1) return std::nullopt;
  return value->as<bool>()[0];
}

std::shared_ptr<const TypedModel> expand(const InferenceBody& body,
                                         const std::vector<Fact>& captured, std::string_view which,
                                         Builder& b) {
  try {
    return std::make_shared<const TypedModel>(
        expand_body(*body, captured, b.target().symbol_scope()));
  } catch (Error& error) {
    throw error.in(std::string(which));
  }
}

/// The condition, and the captured values that did not become constants of the bodies.
OutletIds branch_wires(const OutletIds& in, const std::vector<Fact>& captured) {
  OutletIds wires{in[0]};
  for (std::size_t i = 0; i < captured.size(); ++i)
    if (!captured[i].constant()) wires.push_back(in[i + 1]);
  return wires;
}

/// Branches nested deeper are tried once only: two tries a level would take time exponential in the
/// depth.
constexpr int kTriedTwice = 4;

bool nests_deeper(const InferenceModel& body, int levels) {
  const auto& nodes = body.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) {
    const auto inner = node.op.bodies();
    return !inner.empty() &&
           (levels == 0 || std::any_of(inner.begin(), inner.end(), [&](const InferenceBody& each) {
              return nests_deeper(*each, levels - 1);
            }));
  });
}

/// Whether a branch may keep its failure until it is taken, as a guarded one never is. An inner If
/// has tried that before its error comes here.
bool may_fail_later(const Error& error) {
  const auto& frames = error.frames();
  const auto branches = std::count_if(frames.begin(), frames.end(), [](const std::string& frame) {
    return frame == "then_branch" || frame == "else_branch";
  });
  return error.kind() == ErrorKind::invalid_model && branches == 1;
}

void check_shapes(const TypedModel& then_body, const TypedModel& else_body) {
  const std::size_t count = std::min(then_body.outputs().size(), else_body.outputs().size());
  for (std::size_t i = 0; i < count; ++i) {
    const Fact &a = then_body.output_fact(i), &b = else_body.output_fact(i);
    check(a.type() != b.type() || compatible(a.without_value(), b.without_value()), "output ", i,
          " is ", a.without_value(), " in one branch and ", b.without_value(), " in the other");
  }
}

}  // namespace

void If::rules(Rules& r) const { r.require(r.input(0, "cond").dtype == DatumType::boolean); }

OutletIds If::wire(Builder& b, const OutletIds& in) const {
  std::vector<Fact> captured;
  for (std::size_t i = 1; i < in.size(); ++i) captured.push_back(b.fact(in[i]));
  if (const auto taken = constant_condition(b.fact(in[0]))) {
    const std::string_view which = *taken ? "then_branch" : "else_branch";
    const auto body = expand(*taken ? then_body : else_body, captured, which, b);
    return b.wire(strata::If{body, body}, branch_wires(in, captured));
  }
  strata::If op;
  try {
    op = {expand(then_body, captured, "then_branch", b),
          expand(else_body, captured, "else_branch", b)};
  } catch (const Error& error) {
    if (!may_fail_later(error) || nests_deeper(*then_body, kTriedTwice) ||
        nests_deeper(*else_body, kTriedTwice))
      throw;
    for (Fact& fact : captured) fact = Fact::any(fact.type());
    try {
      op = {expand(then_body, captured, "then_branch", b),
            expand(else_body, captured, "else_branch", b)};
    } catch (const Error&) {
      throw error;
    }
  }
  if (same_shapes) check_shapes(*op.then_body, *op.else_body);
  return b.wire(op, branch_wires(in, captured));
}

}  // namespace strata::hir
