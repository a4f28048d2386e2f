#include "kernel_ops/top_k_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "ops/best_indices.h"

namespace strata {
namespace {

/// Of floats, which have a kernel of their own.
void find_in_floats(const TopKKernel& op, const KernelIo& io, const kernels::TopK& call,
                    std::int64_t rows) {
  const kernels::KernelTable& table = kernels::kernels(op.isa);
  share_range(io, work_on(rows * call.length, 8),
              {.n = rows, .scratch_bytes = table.top_k_scratch(call.length)},
              [&](kernels::Range part, std::byte* scratch) { table.top_k(call, part, scratch); });
}

}  // namespace

std::size_t TopKKernel::scratch_bytes(Facts in) const {
  const Shape shape = *in[0].shape.concrete();
  const std::int64_t length = shape[axis_from_start(axis, shape.size())];
  return std::max(
      kernels::kernels(isa).top_k_scratch(length),
      static_cast<std::size_t>(length) * (sizeof(std::uint64_t) + sizeof(std::int64_t)));
}

void TopKKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const Span shape = data.shape;
  const std::size_t at = axis_from_start(axis, shape.size());
  const std::int64_t k = integer_at(io.inputs[1], 0), extent = shape[at];
  check_data(k >= 0 && k <= extent, "(C4) k is ", k, " on an axis of ", extent);
  check_size(k, io.outputs[0].shape, at);
  const std::int64_t outer = volume(shape.first(at)), inner = volume(shape.subspan(at + 1));
  std::int64_t* places = io.outputs[1].as<std::int64_t>();
  if (data.dtype == DatumType::f32 && extent < INT32_MAX)
    return find_in_floats(
        *this, io,
        {.extreme = order == TopKOrder::greatest ? kernels::Extreme::max : kernels::Extreme::min,
         .length = extent,
         .inner = inner,
         .k = k,
         .x = data.as<float>(),
         .values = io.outputs[0].as<float>(),
         .places = places},
        outer * inner);
  const auto length = static_cast<std::size_t>(extent);
  auto* keys = reinterpret_cast<std::uint64_t*>(io.scratch);
  find_best({.dtype = data.dtype,
             .order = order,
             .outer = outer,
             .extent = extent,
             .inner = inner,
             .k = k,
             .data = data.data,
             .values = io.outputs[0].data,
             .places = places},
            {{keys, length}, {reinterpret_cast<std::int64_t*>(keys + length), length}});
}

std::string TopKKernel::explain(Facts in, Facts) const {
  return in[0].dtype == DatumType::f32 ? explain_vectors("search by keys of 64 bits", isa)
                                       : "search, number by number";
}

/// TopK -> TopKKernel
Rewrite lower_top_k(const NodeView& node, const Target& target) {
  const TopK* top_k = node.op().as<TopK>();
  if (!top_k || !moves_bytes(node) || !is_index(node.input_fact(1)) ||
      node.input_fact(1).shape.volume() != Dim(1))
    return no_change;
  return replace(node, TopKKernel{top_k->axis, top_k->order, target.isa}, node.inputs());
}

}  // namespace strata
