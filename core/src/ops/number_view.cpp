#include "ops/number_view.h"

namespace strata {
namespace {

template <class T>
WidestOf<T> read(const std::byte* data, std::size_t i) {
  return widened(reinterpret_cast<const T*>(data)[i]);
}

template <class T>
void write(std::byte* data, std::size_t i, WidestOf<T> number) {
  reinterpret_cast<T*>(data)[i] = narrowed<T>(number);
}

}  // namespace

template <class Wide>
NumberView<Wide>::NumberView(const Tensor& tensor) : data_(tensor.data()) {
  visit_kind<Wide>(tensor.dtype(), [&]<class T>(TypeTag<T>) { read_ = read<T>; });
}

template <class Wide>
MutableNumberView<Wide>::MutableNumberView(MutableTensor& tensor) : data_(tensor.data()) {
  visit_kind<Wide>(tensor.dtype(), [&]<class T>(TypeTag<T>) { write_ = write<T>; });
}

template class NumberView<double>;
template class NumberView<std::int64_t>;
template class NumberView<std::uint64_t>;
template class NumberView<bool>;
template class MutableNumberView<double>;
template class MutableNumberView<std::int64_t>;
template class MutableNumberView<std::uint64_t>;
template class MutableNumberView<bool>;

}  // namespace strata
