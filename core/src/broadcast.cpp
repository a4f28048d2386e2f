#include <algorithm>

#include "strata/core/fact.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// The dim two dims broadcast to; nothing where they cannot agree.
std::optional<Dim> broadcast_dims(const Dim& a, const Dim& b) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (a.is_constant() && b.is_constant()) return std::nullopt;
  // An integer other than 1 wins: the symbol must be 1 or the same.
  if (a.is_constant()) return a;
  if (b.is_constant()) return b;
  return fresh_dim();
}

}  // namespace

ShapeFact broadcast(const ShapeFact& a, const ShapeFact& b) {
  if (a.is_open() || b.is_open()) return ShapeFact::open();
  if (a == b || b.rank() == 0) return a;
  if (a.rank() == 0) return b;
  const std::size_t rank = std::max(a.rank(), b.rank());
  std::vector<Dim> dims(rank);
  const Dim one = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const Dim& left = i < a.rank() ? a[a.rank() - 1 - i] : one;
    const Dim& right = i < b.rank() ? b[b.rank() - 1 - i] : one;
    std::optional<Dim> both = broadcast_dims(left, right);
    check(both.has_value(), "shapes ", a, " and ", b, " do not broadcast");
    dims[rank - 1 - i] = *std::move(both);
  }
  return dims;
}

Shape broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    check_data(left == right || left == 1 || right == 1, "shapes ", Span(a), " and ", Span(b),
               " do not broadcast");
    out[out.size() - 1 - i] = left == 1 ? right : left;
  }
  return out;
}

}  // namespace strata
