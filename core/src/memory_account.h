#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "strata/core/fact.h"
#include "strata/core/limits.h"

namespace strata {

/// The bytes of the live tensors made within one MemoryScope; it outlives the scope as long as they
/// do.
struct MemoryScope::Account {
  Account(const Limits& limits, std::shared_ptr<Account> outer_account)
      : tensor_bytes(limits.tensor_bytes),
        total_bytes(limits.total_bytes),
        outer(std::move(outer_account)) {}

  const std::int64_t tensor_bytes;
  const std::int64_t total_bytes;
  const std::shared_ptr<Account> outer;
  std::atomic<std::int64_t> used{0};
};

/// What memory is used for: one tensor, which Limits::tensor_bytes bounds, or many.
enum class MemoryUse { tensor, block };

/// Charges bytes to `account` and all outer ones, or to none of them. Throws: limit when one of
/// them refuses. A null account only checks the default Limits::tensor_bytes.
void charge(MemoryScope::Account* account, std::int64_t bytes, MemoryUse use = MemoryUse::tensor);
/// Takes back what `charge` added.
void release(MemoryScope::Account* account, std::int64_t bytes) noexcept;

/// While it lives, tensors that this thread makes for another one are charged to the other's
/// account.
class ChargedElsewhere {
 public:
  explicit ChargedElsewhere(std::shared_ptr<MemoryScope::Account> account);
  ~ChargedElsewhere();
  ChargedElsewhere(const ChargedElsewhere&) = delete;
  ChargedElsewhere& operator=(const ChargedElsewhere&) = delete;

 private:
  std::shared_ptr<MemoryScope::Account> own_;
};

/// Whether a single tensor of this shape is within the limits. Products of its sizes then fit 64
/// bits.
bool may_be(DatumType type, std::span<const std::int64_t> shape, const Limits& limits);
/// The same as far as sizes are known; unknown ones may be small.
bool may_be(const Fact& fact, const Limits& limits);
/// Checks ahead for something that takes as much memory as such a tensor. Throws: limit when such a
/// tensor would be refused now.
void check_room(DatumType type, std::span<const std::int64_t> shape);

}  // namespace strata
