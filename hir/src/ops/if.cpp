#include "strata/hir/ops/if.h"

#include <algorithm>
#include <utility>

#include "guarded_body.h"
#include "strata/core/ops/if.h"
#include "strata/hir/body.h"

namespace strata::hir {

namespace {

struct Branches {
  strata::If op;
  std::vector<Fact> captured;  ///< as the branches see them
};

constexpr std::string_view kThen = "then_branch", kElse = "else_branch";
constexpr std::string_view kThenAlways = "then_branch, which is always taken",
                           kElseAlways = "else_branch, which is always taken";

std::shared_ptr<const TypedModel> expand(const InferenceBody& body,
                                         const std::vector<Fact>& captured, std::string_view which,
                                         Builder& b) {
  try {
    return std::make_shared<TypedModel>(expand_body(*body, captured, b.target().symbol_scope()));
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

/// Whether the failure of a branch may wait until the branch is taken, which a guarded one never
/// is. An inner If of unknown branch has tried this itself before its error arrives here.
bool may_fail_later(const Error& error) {
  const auto& frames = error.frames();
  const auto branches = std::count_if(frames.begin(), frames.end(), [](const std::string& frame) {
    return frame == kThen || frame == kElse;
  });
  return error.kind() == ErrorKind::invalid_model && branches == 1;
}

/// Expands a branch that may never be taken. If it cannot be expanded for these values, it is
/// expanded for values of open shapes, so that it fails only when it runs.
std::shared_ptr<const TypedModel> expand_guarded(const InferenceBody& body,
                                                 const std::vector<Fact>& captured,
                                                 std::string_view which, Builder& b) {
  try {
    return expand(body, captured, which, b);
  } catch (const Error& error) {
    if (!may_fail_later(error) || nests_deep(*body)) throw;
    try {
      return expand(body, opened(captured), which, b);
    } catch (const Error&) {
      throw error;
    }
  }
}

/// Both branches. If one cannot be expanded because of constant values, both are expanded for
/// values of which nothing is known.
Branches expand_branches(const If& op, std::vector<Fact> captured, Builder& b) {
  try {
    return {{expand_guarded(op.then_body, captured, kThen, b),
             expand_guarded(op.else_body, captured, kElse, b)},
            captured};
  } catch (const Error& error) {
    if (!may_fail_later(error) || nests_deep(*op.then_body) || nests_deep(*op.else_body)) throw;
    captured = unknown(std::move(captured));
    try {
      return {{expand(op.then_body, captured, kThen, b), expand(op.else_body, captured, kElse, b)},
              captured};
    } catch (const Error&) {
      throw error;
    }
  }
}

/// The branch that is always taken, as both.
Branches expand_taken(const If& op, bool taken, const std::vector<Fact>& captured, Builder& b) {
  const auto body = taken ? expand(op.then_body, captured, kThenAlways, b)
                          : expand(op.else_body, captured, kElseAlways, b);
  return {{body, body}, captured};
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
  const std::optional<bool> taken = b.fact(in[0]).truth();
  std::vector<Fact> captured;
  captured.reserve(in.size() - 1);
  for (std::size_t i = 1; i < in.size(); ++i) captured.push_back(b.fact(in[i]));
  const Branches branches =
      taken ? expand_taken(*this, *taken, captured, b) : expand_branches(*this, captured, b);
  if (same_shapes && !taken) check_shapes(*branches.op.then_body, *branches.op.else_body);
  return b.wire(branches.op, branch_wires(in, branches.captured));
}

}  // namespace strata::hir
