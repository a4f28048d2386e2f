#include "ops/scatter.h"

#include "ops/movement.h"

namespace strata {
namespace {

template <class T>
void join(ScatterReduction reduction, std::byte* to, const std::byte* from, std::int64_t n) {
  T* y = reinterpret_cast<T*>(to);
  const T* x = reinterpret_cast<const T*>(from);
  for (std::int64_t i = 0; i < n; ++i) y[i] = reduced<T>(reduction, y[i], x[i]);
}

}  // namespace

JoinElements join_elements(DatumType type) {
  return visit_type(type, []<class T>(TypeTag<T>) -> JoinElements { return join<T>; });
}

void scatter(ScatterReduction reduction, const Tensor& updates, Span offsets, std::int64_t length,
             MutableTensor& out) {
  if (reduction == ScatterReduction::none) {
    std::int64_t first = 0;
    for (const std::int64_t offset : offsets) {
      copy_elements(updates, first, length, out, offset);
      first += length;
    }
    return;
  }
  const JoinElements join = join_elements(out.dtype());
  const std::int64_t width = static_cast<std::int64_t>(bit_width(out.dtype()) / 8);
  const std::byte* from = updates.data();
  for (const std::int64_t offset : offsets) {
    join(reduction, out.data() + offset * width, from, length);
    from += length * width;
  }
}

}  // namespace strata
