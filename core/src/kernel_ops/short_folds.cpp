#include "kernel_ops/short_folds.h"

#include "kernel_ops/fold_functions.h"

namespace strata {
namespace {

/// Two rows side by side, neither of which waits for the other; the last may be both.
template <class F, class T>
void short_rows(T* totals, const T* x, std::int64_t count, std::int64_t n) {
  for (std::int64_t i = 0; i < count; i += 2, x += 2 * n) {
    const std::int64_t next = i + 1 < count ? i + 1 : i;
    const T* z = x + (next - i) * n;
    T one = totals[i], other = totals[next];
    for (std::int64_t k = 0; k < n; ++k) {
      one = F::add(one, x[k]);
      other = F::add(other, z[k]);
    }
    totals[i] = one;
    totals[next] = other;
  }
}

}  // namespace

template <class T>
ShortRows<T> short_folds(Reduction op) {
  return visit_fold<T>(op, []<class F>(F) { return short_rows<F, T>; });
}

template ShortRows<double> short_folds(Reduction);
template ShortRows<std::int32_t> short_folds(Reduction);
template ShortRows<std::int64_t> short_folds(Reduction);
template ShortRows<std::uint64_t> short_folds(Reduction);
template ShortRows<std::uint8_t> short_folds(Reduction);
template ShortRows<std::int8_t> short_folds(Reduction);

}  // namespace strata
