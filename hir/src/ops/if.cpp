#include "strata/hir/ops/if.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "strata/core/ops/if.h"
#include "strata/hir/body.h"

namespace strata::hir {

namespace {

struct Branches {
  strata::If op;
  std::vector<Fact> captured;  ///< as the branches see them
};

/// What branches are expanded for.
struct BranchContext {
  std::vector<Fact> captured;
  std::optional<bool> taken;  ///< the one branch that is
  std::shared_ptr<SymbolScope> symbols;
  bool operator==(const BranchContext&) const = default;
};

}  // namespace

/// What the branches of an If were when they were tried, so that they need not be expanded once more
/// for good. Shared by threads that expand one model.
class KnownBranches {
 public:
  /// Symbols made on trial are given out again: where the branches mention some, they are taken once,
  /// and the scope goes on behind these. It must not have come so far yet.
  std::optional<Branches> take(const BranchContext& context) {
    const std::scoped_lock lock(mutex_);
    SymbolScope& symbols = *context.symbols;
    if (!known_ || !(known_->context == context)) return std::nullopt;
    if (known_->first_symbol == known_->end_symbol) return known_->branches;
    if (symbols.fresh_count() > known_->first_symbol) return std::nullopt;
    while (symbols.fresh_count() < known_->end_symbol) symbols.fresh();
    return std::exchange(known_, std::nullopt)->branches;
  }
  /// `first_symbol` is the count of symbols before the branches were expanded.
  void note(BranchContext context, Branches branches, std::uint64_t first_symbol) {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t end_symbol = context.symbols->fresh_count();
    known_ = {std::move(context), std::move(branches), first_symbol, end_symbol};
  }

 private:
  struct Known {
    BranchContext context;
    Branches branches;
    std::uint64_t first_symbol;
    std::uint64_t end_symbol;
  };
  std::mutex mutex_;
  std::optional<Known> known_;
};

namespace {

constexpr std::string_view kThen = "then_branch", kElse = "else_branch";
constexpr std::string_view kThenAlways = "then_branch, which is always taken",
                           kElseAlways = "else_branch, which is always taken";

std::optional<bool> constant_condition(const Fact& fact) {
  const Tensor* value = fact.constant();
  if (!value || value->dtype() != DatumType::boolean || value->size() != 1) return std::nullopt;
  return value->as<bool>()[0];
}

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

/// Branches nested deeper are tried once only: more tries a level would take time exponential in the
/// depth.
constexpr int kTriedAgain = 4;

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
/// that does not know its branch has tried that before its error comes here.
bool may_fail_later(const Error& error) {
  const auto& frames = error.frames();
  const auto branches = std::count_if(frames.begin(), frames.end(), [](const std::string& frame) {
    return frame == kThen || frame == kElse;
  });
  return error.kind() == ErrorKind::invalid_model && branches == 1;
}

/// The captured values as a branch that they do not fit sees them: constants, which the other branch
/// holds as well, and values of any shape.
std::vector<Fact> opened(const std::vector<Fact>& captured) {
  std::vector<Fact> out = captured;
  for (Fact& fact : out)
    if (!fact.constant()) fact = Fact::any(fact.type());
  return out;
}

/// What a branch that may never be taken becomes when it cannot be for these values: one that fails
/// if it is.
std::shared_ptr<const TypedModel> expand_guarded(const InferenceBody& body,
                                                 const std::vector<Fact>& captured,
                                                 std::string_view which, Builder& b) {
  try {
    return expand(body, captured, which, b);
  } catch (const Error& error) {
    if (!may_fail_later(error) || nests_deeper(*body, kTriedAgain)) throw;
    try {
      return expand(body, opened(captured), which, b);
    } catch (const Error&) {
      throw error;
    }
  }
}

/// Both branches. Where constants are what one cannot be for, both see values of which nothing is
/// known.
Branches expand_branches(const If& op, std::vector<Fact> captured, Builder& b) {
  try {
    return {{expand_guarded(op.then_body, captured, kThen, b),
             expand_guarded(op.else_body, captured, kElse, b)},
            captured};
  } catch (const Error& error) {
    if (!may_fail_later(error) || nests_deeper(*op.then_body, kTriedAgain) ||
        nests_deeper(*op.else_body, kTriedAgain))
      throw;
    for (Fact& fact : captured) fact = Fact::any(fact.type());
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

std::shared_ptr<KnownBranches> If::no_branches_yet() { return std::make_shared<KnownBranches>(); }

void If::rules(Rules& r) const { r.require(r.input(0, "cond").dtype == DatumType::boolean); }

OutletIds If::wire(Builder& b, const OutletIds& in) const {
  BranchContext context{.captured = {},
                        .taken = constant_condition(b.fact(in[0])),
                        .symbols = b.target().symbol_scope()};
  for (std::size_t i = 1; i < in.size(); ++i) context.captured.push_back(b.fact(in[i]));
  std::optional<Branches> branches = known->take(context);
  if (!branches) {
    const std::uint64_t first_symbol = context.symbols->fresh_count();
    branches = context.taken ? expand_taken(*this, *context.taken, context.captured, b)
                             : expand_branches(*this, context.captured, b);
    known->note(context, *branches, first_symbol);
  }
  if (same_shapes && !context.taken) check_shapes(*branches->op.then_body, *branches->op.else_body);
  return b.wire(branches->op, branch_wires(in, branches->captured));
}

}  // namespace strata::hir
