#include "ops/add_row.h"

namespace strata {
namespace {

template <class T, class Sum>
void add(const std::byte* from, std::int64_t n, std::int64_t step, std::byte* to) {
  const T* x = reinterpret_cast<const T*>(from);
  Sum* sums = reinterpret_cast<Sum*>(to);
  if (step == 1)
    for (std::int64_t i = 0; i < n; ++i) sums[i] += static_cast<Sum>(x[i]);
  else
    for (std::int64_t i = 0; i < n; ++i) sums[i * step] += static_cast<Sum>(x[i]);
}

}  // namespace

AddRow add_row_of(DatumType type) {
  if (type == DatumType::i64) return add<std::uint64_t, std::uint64_t>;
  return type == DatumType::f32 ? add<float, double> : add<double, double>;
}

}  // namespace strata
