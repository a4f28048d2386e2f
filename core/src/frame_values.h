#pragma once

#include "plan.h"

namespace strata {

/// In which storage a value lies, which the plan alone decides. Views of one another share the
/// storage of the first of them, their root.
struct FrameValue {
  enum class Storage : std::uint8_t { local, input, constant, result };
  std::uint32_t root = 0;
  Storage storage = Storage::local;  ///< of a root
  std::size_t index = 0;             ///< of the input or the result
  const Value* constant = nullptr;
  std::uint32_t last = 0;  ///< of a root: the last step that reads it or a view of it
};

/// The values of a plan's schedule as its frame keeps them, with the schedule's numbers. Immutable.
class FrameValues {
 public:
  explicit FrameValues(const Plan& plan);

  const Plan& plan() const { return plan_; }
  const TypedNode& node_of(const Plan::Schedule::Step& step) const {
    return plan_.model().node(step.node);
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(values_.size()); }
  const FrameValue& operator[](std::uint32_t value) const { return values_[value]; }
  const FrameValue& root_of(std::uint32_t value) const { return values_[values_[value].root]; }
  /// Whether it is a root that lies in the memory of the frame.
  bool is_local(std::uint32_t value) const {
    return values_[value].root == value && values_[value].storage == FrameValue::Storage::local;
  }
  const Fact& fact_of(std::uint32_t value) const;
  /// Whether the size of a value depends on the inputs.
  bool is_dynamic(std::uint32_t value) const { return !fact_of(value).shape.concrete(); }
  /// Whether all of them can lie in a frame, once their sizes are known.
  bool are_placeable() const { return are_placeable_; }
  /// How many results there are: outputs that a step makes, counting views of one another once.
  std::size_t results() const { return results_; }

 private:
  const Plan& plan_;
  std::vector<FrameValue> values_;
  bool are_placeable_ = true;
  std::size_t results_ = 0;
};

/// Whether values of this fact can lie in a frame, once their sizes are known.
bool is_placeable(const Fact& fact);

}  // namespace strata
