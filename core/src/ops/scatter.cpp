#include "ops/scatter.h"

namespace strata {
namespace {

template <class T, class Join>
void join_runs(const T* from, Span offsets, std::int64_t length, T* to, const Join& join) {
  for (const std::int64_t offset : offsets)
    for (std::int64_t i = 0; i < length; ++i) join(*from++, to[offset + i]);
}

}  // namespace

void scatter(ScatterReduction reduction, const Tensor& updates, Span offsets, std::int64_t length,
             MutableTensor& out) {
  if (reduction == ScatterReduction::none) {
    visit_storage(out.dtype(), [&]<class T>(TypeTag<T>) {
      join_runs(updates.storage_as<T>().data(), offsets, length, out.storage_as<T>().data(),
                [](const T& update, T& element) { element = update; });
    });
  } else {
    visit_type(out.dtype(), [&]<class T>(TypeTag<T>) {
      join_runs(updates.as<T>().data(), offsets, length, out.as<T>().data(),
                [reduction](const T& update, T& element) {
                  element = reduced<T>(reduction, element, update);
                });
    });
  }
}

}  // namespace strata
