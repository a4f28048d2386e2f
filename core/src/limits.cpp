#include "strata/core/limits.h"

#include <algorithm>

#include "memory_account.h"
#include "strata/core/error.h"
#include "strata/core/tensor.h"
#include "tensor_storage.h"

namespace strata {
namespace {

std::shared_ptr<MemoryScope::Account>& current_account() {
  thread_local std::shared_ptr<MemoryScope::Account> account;
  return account;
}

void check_tensor_bytes(std::int64_t limit, std::int64_t bytes) {
  require(bytes <= limit, ErrorKind::limit, "a tensor of ", bytes,
          " bytes exceeds the limit tensor_bytes of ", limit);
}

std::int64_t at_least_one(std::int64_t size) { return std::max<std::int64_t>(size, 1); }
std::int64_t at_least_one(const Dim& dim) { return at_least_one(dim.constant().value_or(1)); }

/// Whether the limit allows a tensor of these sizes, or dims, where an axis of size 0 counts as 1.
bool is_allowed(DatumType type, const auto& sizes, const Limits& limits) {
  double bytes = static_cast<double>(bit_width(type)) / 8;
  for (const auto& size : sizes) bytes *= static_cast<double>(at_least_one(size));
  return bytes <= static_cast<double>(limits.tensor_bytes);
}

}  // namespace

MemoryScope::MemoryScope(const Limits& limits) : outer_(current_account()) {
  current_account() = std::make_shared<Account>(limits, outer_);
}

MemoryScope::MemoryScope(const Limits& limits, std::shared_ptr<Account>& account)
    : outer_(current_account()) {
  // Within a different outer scope, a new account is opened that charges that scope.
  if (!account || account->outer != outer_) account = std::make_shared<Account>(limits, outer_);
  current_account() = account;
}

MemoryScope::~MemoryScope() { current_account() = std::move(outer_); }

std::shared_ptr<MemoryScope::Account> MemoryScope::current() { return current_account(); }

ChargedElsewhere::ChargedElsewhere(std::shared_ptr<MemoryScope::Account> account)
    : own_(std::exchange(current_account(), std::move(account))) {}

ChargedElsewhere::~ChargedElsewhere() { current_account() = std::move(own_); }

void charge(MemoryScope::Account* account, std::int64_t bytes, MemoryUse use) {
  if (use == MemoryUse::tensor) {
    if (!account) return check_tensor_bytes(Limits{}.tensor_bytes, bytes);
    for (auto* each = account; each; each = each->outer.get()) {
      check_tensor_bytes(each->tensor_bytes, bytes);
    }
  }
  for (auto* each = account; each; each = each->outer.get()) {
    const std::int64_t before = each->used.fetch_add(bytes, std::memory_order_relaxed);
    if (bytes <= each->total_bytes && before <= each->total_bytes - bytes) continue;
    for (auto* charged = account; charged != each->outer.get(); charged = charged->outer.get()) {
      charged->used.fetch_sub(bytes, std::memory_order_relaxed);
    }
    fail(ErrorKind::limit, bytes, " bytes more than the ", before,
         " in use exceed the limit total_bytes of ", each->total_bytes);
  }
}

void release(MemoryScope::Account* account, std::int64_t bytes) noexcept {
  for (; account; account = account->outer.get()) {
    account->used.fetch_sub(bytes, std::memory_order_relaxed);
  }
}

bool may_be(DatumType type, std::span<const std::int64_t> shape, const Limits& limits) {
  return is_allowed(type, shape, limits);
}

bool may_be(const Fact& fact, const Limits& limits) {
  if (!fact.is_tensor() || fact.shape.is_open()) return true;
  return is_allowed(fact.dtype, fact.shape.dims(), limits);
}

void check_room(DatumType type, std::span<const std::int64_t> shape) {
  const auto bytes = static_cast<std::int64_t>(detail::bytes_of(type, element_count(shape)));
  const auto account = MemoryScope::current();
  charge(account.get(), bytes);
  release(account.get(), bytes);
}

}  // namespace strata
