#pragma once

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "strata/core/transform.h"

namespace strata {

/// What a pass knows throughout a model and its bodies.
struct PassState {
  std::set<Body> finished;  ///< bodies to which no rule applies any more, wherever they are
  std::map<std::string_view, std::size_t> firings;  ///< by rule, whose name outlives the pass

  RewriteReport report() const;
};

/// Runs rules over a model from a worklist until none applies, so that the work grows with the
/// changes made.
class Rewriter {
 public:
  /// What one look at a node may return: the name of the rule that fired, which outlives the
  /// rewriter, and its patch.
  struct Firing {
    std::string_view rule;
    Patch patch;
  };
  using Attempt = std::function<std::optional<Firing>(const NodeView& node)>;
  /// Returns whether it changed anything.
  using RewriteBody = std::function<bool(TypedModel& body)>;
  /// What becomes of a body that rules find cannot work, as may be in a branch that is never taken;
  /// it fails when it is run.
  enum class OnFailure {
    restore,  ///< as it was before: later rules must not find facts that contradict each other
    keep,     ///< as far as the rules came: no others follow
  };

  /// Whether the node is a constant or an input, where no rule begins.
  static bool is_given(const TypedNode& node) {
    return node.op.as<Const>() || node.op.as<Source>();
  }

  /// `state` is that of the same rules on the whole model, and outlives the rewriter.
  Rewriter(TypedModel& model, Attempt attempt, RewriteBody rewrite_body, OnFailure on_failure,
           PassState& state);

  /// Throws: internal, named after the rule and the node, when a rule breaks an invariant or rules
  /// go round in circles. Returns whether a rule fired, here or in a body.
  bool run();
  /// Looks at these nodes and those around them in the next run; between runs all may have been
  /// renumbered.
  void visit_later(const std::vector<std::uint32_t>& ids);

 private:
  /// What is to be done with a node.
  struct Mark {
    bool is_waiting = false;      ///< it is in the worklist
    bool is_just_made = false;    ///< it has bodies, and a rule has just made it
    std::size_t step = SIZE_MAX;  ///< that last put its readers in the worklist
  };

  void push(std::uint32_t id);
  /// The node and those that read it, once in each step: a rule touches a node as often as it has
  /// outputs.
  void push_with_readers(std::uint32_t id);
  void visit(std::uint32_t id);
  void refresh_facts(std::uint32_t id);
  /// Goes through bodies that are not finished.
  void rewrite_bodies(std::uint32_t id);
  /// Puts what the rules make of a body in its place. It is changed in place if nothing needs it as
  /// it was. Returns whether it has changed.
  bool finish(Body& body);
  void apply(Firing& firing);

  TypedModel& model_;
  Attempt attempt_;
  RewriteBody rewrite_body_;
  OnFailure on_failure_;
  PassState& state_;
  std::vector<std::uint32_t> worklist_;
  std::vector<Mark> marks_;  ///< by node
  bool has_changed_ = false;
  std::size_t steps_ = 0;   ///< rules that fired
  std::size_t most_nodes_;  ///< that the model had at once
};

}  // namespace strata
