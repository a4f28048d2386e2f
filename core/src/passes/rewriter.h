#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "strata/core/transform.h"

namespace strata {

/// Bodies that no rule applies to any more, wherever they are.
using FinishedBodies = std::set<Body>;

/// Runs rules over a model from a worklist until none applies, so that the work grows with the
/// changes made.
class Rewriter {
 public:
  /// What one look at a node may answer: the name of the rule that fired, which outlives the
  /// rewriter, and its patch.
  struct Firing {
    std::string_view rule;
    Patch patch;
  };
  using Attempt = std::function<std::optional<Firing>(const NodeView& node)>;
  using RewriteBody = std::function<RewriteReport(TypedModel& body)>;

  /// `finished` are those of the same rules on the whole model, and outlive the rewriter.
  Rewriter(TypedModel& model, Attempt attempt, RewriteBody rewrite_body, FinishedBodies& finished);

  /// Throws: internal, named after the rule and the node, when a rule breaks an invariant or rules
  /// go round in circles.
  void run();
  /// Looks at these nodes again in the next run.
  void revisit_all();
  /// What was done in this model and, so far, in its bodies.
  RewriteReport report() const;

 private:
  void push(std::uint32_t id);
  void visit(std::uint32_t id);
  void refresh_facts(std::uint32_t id);
  /// Whether there were bodies that were not finished.
  bool rewrite_bodies(std::uint32_t id);
  void apply(std::uint32_t id, Firing& firing);

  TypedModel& model_;
  Attempt attempt_;
  RewriteBody rewrite_body_;
  RewriteReport bodies_report_;
  std::map<std::string_view, std::size_t> firings_;
  std::deque<std::uint32_t> worklist_;
  std::vector<bool> waiting_;
  std::set<std::uint32_t> just_made_;  ///< nodes with bodies that a rule put there
  FinishedBodies& finished_bodies_;
  std::size_t steps_left_ = 0;
};

}  // namespace strata
