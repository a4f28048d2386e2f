#include "kernel_ops/top_k_kernel.h"

#include "kernel_ops/movement.h"
#include "ops/best_indices.h"

namespace strata {
std::size_t TopKKernel::scratch_bytes(Facts in) const {
  const Shape shape = *in[0].shape.concrete();
  return static_cast<std::size_t>(shape[axis_from_start(axis, shape.size())]) *
         sizeof(std::int64_t);
}

void TopKKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const Span shape = data.shape;
  const std::size_t at = axis_from_start(axis, shape.size());
  const std::int64_t k = integer_at(io.inputs[1], 0), extent = shape[at];
  check_data(k >= 0 && k <= extent, "(C4) k is ", k, " on an axis of ", extent);
  check_size(k, io.outputs[0].shape, at);
  const std::int64_t outer = volume(shape.first(at)), inner = volume(shape.subspan(at + 1));
  const std::span<std::int64_t> indices(reinterpret_cast<std::int64_t*>(io.scratch),
                                        static_cast<std::size_t>(extent));
  std::int64_t* places = io.outputs[1].as<std::int64_t>();
  visit_type(data.dtype, [&]<class T>(TypeTag<T>) {
    for (std::int64_t n = 0; n < outer * inner; ++n) {
      const T* from = data.as<T>() + n / inner * extent * inner + n % inner;
      const std::int64_t to = n / inner * k * inner + n % inner;
      sort_best(indices, from, inner, k, order);
      for (std::int64_t i = 0; i < k; ++i) {
        const std::int64_t index = indices[static_cast<std::size_t>(i)];
        io.outputs[0].as<T>()[to + i * inner] = from[index * inner];
        places[to + i * inner] = index;
      }
    }
  });
}

/// TopK -> TopKKernel
Rewrite lower_top_k(const NodeView& node, const Target&) {
  const TopK* top_k = node.op().as<TopK>();
  if (!top_k || !moves_bytes(node) || !is_index(node.input_fact(1)) ||
      node.input_fact(1).shape.volume() != Dim(1))
    return no_change;
  return replace(node, TopKKernel{top_k->axis, top_k->order}, node.inputs());
}

}  // namespace strata
