#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "strata/core/typed_model.h"

namespace strata {

/// A body that a rule looks at and may change: copied on the first change, as most rules that look
/// find nothing.
class BodyDraft {
 public:
  explicit BodyDraft(Body body) : original_(std::move(body)) {}

  const TypedModel& operator*() const { return changed_ ? *changed_ : *original_; }
  const TypedModel* operator->() const { return &**this; }
  TypedModel& changed() {
    if (!changed_) changed_ = *original_;
    return *changed_;
  }
  /// The body as it is now; spends the draft.
  Body take() && {
    return changed_ ? std::make_shared<TypedModel>(*std::move(changed_)) : original_;
  }

 private:
  Body original_;  ///< kept, for what was read from it before the change
  std::optional<TypedModel> changed_;
};

}  // namespace strata
