#include "kernel_ops/reverse_sequence_kernel.h"

#include <algorithm>

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"

namespace strata {

/// What lies behind both axes moves together: [outer, first, between, last, run].
void ReverseSequenceKernel::run(const KernelIo& io) const {
  const TensorView &data = io.inputs[0], &lengths = io.inputs[1];
  const Span shape = data.shape;
  const std::size_t batch = axis_from_start(batch_axis, shape.size()),
                    time = axis_from_start(time_axis, shape.size());
  check_data(lengths.shape[0] == shape[batch], "(C2) ", lengths.shape[0], " lengths for ",
             shape[batch], " batches");
  for (std::size_t i = 0; i < length_of(lengths); ++i)
    check_data(integer_at(lengths, i) >= 0 && integer_at(lengths, i) <= shape[time], "(C3) length ",
               integer_at(lengths, i), " is outside an axis of ", shape[time]);
  const std::size_t first = std::min(batch, time), last = std::max(batch, time);
  const std::int64_t inner = volume(shape.subspan(last + 1)) * width_of(data),
                     between = volume(shape.subspan(first + 1, last - first - 1)),
                     rows = volume(shape.first(last + 1));
  if (rows == 0) return;
  const std::int64_t step = time == last ? inner : between * shape[last] * inner;
  const WorkSize work{10 * static_cast<double>(rows), 2 * static_cast<double>(rows * inner)};
  share_range(io, work, rows, 1, [&](kernels::Range part) {
    std::int64_t place = part.begin / shape[last], at_last = part.begin % shape[last];
    for (std::int64_t row = part.begin; row < part.end; ++place, at_last = 0) {
      const std::int64_t at_first = place / between % shape[first];
      for (; at_last < shape[last] && row < part.end; ++at_last, ++row) {
        const std::int64_t now = time == last ? at_last : at_first,
                           of_batch = time == last ? at_first : at_last;
        const std::int64_t length = integer_at(lengths, static_cast<std::size_t>(of_batch));
        const std::int64_t source = now < length ? length - 1 - now : now;
        kernels::copy_bytes(io.outputs[0].data + row * inner,
                            data.data + row * inner + (source - now) * step,
                            static_cast<std::size_t>(inner));
      }
    }
  });
}

std::string ReverseSequenceKernel::explain(Facts in, Facts) const {
  const std::size_t rank = in[0].shape.rank();
  return explain_runs(
      "copy, runs", in[0],
      1 + std::max(axis_from_start(batch_axis, rank), axis_from_start(time_axis, rank)));
}

/// ReverseSequence by i32 or i64 lengths -> ReverseSequenceKernel
Rewrite lower_reverse_sequence(const NodeView& node, const Target&) {
  const ReverseSequence* reverse = node.op().as<ReverseSequence>();
  if (!reverse || !moves_bytes(node) || !is_index(node.input_fact(1))) return no_change;
  return replace(node, ReverseSequenceKernel{reverse->batch_axis, reverse->time_axis},
                 node.inputs());
}

}  // namespace strata
