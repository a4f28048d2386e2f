#include "strata/core/limits.h"

#include <doctest/doctest.h>

#include <optional>

#include "memory_account.h"
#include "strata/core/tensor.h"

namespace strata {
namespace {

Tensor bytes(std::int64_t count) { return MutableTensor(DatumType::u8, Shape{count}).freeze(); }

/// The kind of the Error that making a tensor of `count` bytes throws.
std::optional<ErrorKind> refusal(std::int64_t count) {
  try {
    bytes(count);
    return std::nullopt;
  } catch (const Error& error) {
    return error.kind();
  }
}

Limits total(std::int64_t total_bytes) {
  Limits limits;
  limits.total_bytes = total_bytes;
  return limits;
}

}  // namespace

TEST_CASE("a tensor above tensor_bytes is refused before its memory is taken") {
  CHECK(refusal(std::int64_t{1} << 50) == ErrorKind::limit);
  Limits limits;
  limits.tensor_bytes = 100;
  const MemoryScope scope(limits);
  CHECK_FALSE(refusal(100));
  CHECK(refusal(101) == ErrorKind::limit);
}

TEST_CASE("room for what is no tensor is asked for, and not kept") {
  const MemoryScope scope(total(1000));
  const auto asks = [](std::int64_t count) { check_room(DatumType::f64, Shape{count}); };
  for (int again = 0; again < 2; ++again) CHECK_NOTHROW(asks(125));
  CHECK_THROWS_WITH_AS(asks(126), doctest::Contains("total_bytes"), Error);
}

TEST_CASE("live tensors count toward total_bytes until their last handle goes") {
  const MemoryScope scope(total(1000));
  {
    const Tensor held = bytes(600);
    const Tensor view = held.rows(0, 10);
    CHECK(refusal(401) == ErrorKind::limit);
    CHECK_FALSE(refusal(400));
  }
  CHECK_FALSE(refusal(1000));
}

TEST_CASE("an inner scope charges the outer one as well") {
  const MemoryScope outer(total(1000));
  Tensor kept;
  {
    const MemoryScope inner(total(10'000));
    CHECK(refusal(1001) == ErrorKind::limit);
    kept = bytes(900);
  }
  CHECK(refusal(101) == ErrorKind::limit);
  kept = Tensor();
  CHECK_FALSE(refusal(1000));
}

TEST_CASE("a refusal by the outer scope leaves nothing charged to the inner one") {
  const MemoryScope outer(total(1000));
  const MemoryScope inner(total(1500));
  const Tensor held = bytes(500);
  for (int i = 0; i < 5; ++i) CHECK(refusal(501) == ErrorKind::limit);
  CHECK_FALSE(refusal(500));
}

TEST_CASE("a tensor may outlive the scope it was made in") {
  Tensor kept;
  {
    const MemoryScope scope(total(1000));
    kept = bytes(900);
  }
  CHECK(kept.size() == 900);
  CHECK(MemoryScope::current() == nullptr);
}

TEST_CASE("the message names the limit") {
  const MemoryScope scope(total(8));
  CHECK_THROWS_WITH_AS(bytes(9), "9 bytes more than the 0 in use exceed the limit total_bytes of 8",
                       Error);
}

TEST_CASE("copies of a cancel token share the flag") {
  const CancelToken token;
  CancelToken copy = token;
  CHECK_FALSE(token.cancelled());
  copy.cancel();
  CHECK(token.cancelled());
}

}  // namespace strata
