#include "kernel_ops/resize_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

using std::int64_t;

/// Axis `i` of those resampled.
kernels::ResizedAxis axis_of(const ResizeKernel& op, const KernelIo& io, std::size_t i) {
  const std::size_t input = 1 + i * (op.copies ? 1 : 2);
  const TensorView& places = io.inputs[input];
  return {.in = io.inputs[0].shape[static_cast<std::size_t>(op.axis) + i],
          .out = places.shape[1],
          .taps = places.shape[0],
          .inputs = places.as<std::int32_t>(),
          .weights = op.copies ? nullptr : io.inputs[input + 1].as<float>()};
}

kernels::Resize call_for(const ResizeKernel& op, const KernelIo& io) {
  const Span x = io.inputs[0].shape;
  const auto at = static_cast<std::size_t>(op.axis);
  kernels::Resize call;
  call.outer = volume(x.first(at));
  call.x = io.inputs[0].as<float>();
  call.y = io.outputs[0].as<float>();
  if (op.axes_of(io.inputs.size()) == 2) {
    call.rows = axis_of(op, io, 0);
    call.columns = axis_of(op, io, 1);
  } else if (at + 1 == x.size()) {
    call.columns = axis_of(op, io, 0);
  } else {
    call.rows = axis_of(op, io, 0);
    call.columns.in = call.columns.out = volume(x.subspan(at + 1));
  }
  return call;
}

}  // namespace

FactList ResizeKernel::output_facts(Facts in) const {
  check(in.size() > 1 && (in.size() - 1) % (copies ? 1 : 2) == 0 && axes_of(in.size()) <= 2, name,
        " has ", in.size(), " inputs");
  const std::size_t count = axes_of(in.size()), at = static_cast<std::size_t>(axis);
  check(is_f32(in[0]) && in[0].shape.is_known() && at + count <= in[0].shape.rank(), name,
        " along axis ", axis, " of ", in[0].to_string());
  check(count == 1 || at + 2 == in[0].shape.rank(), name, " along two axes from ", axis, " of ",
        in[0].to_string());
  std::vector<Dim> out = in[0].shape.dims();
  for (std::size_t i = 0; i < count; ++i) {
    const ShapeFact& places = in[1 + i * (copies ? 1 : 2)].shape;
    check(places.is_known() && places.rank() == 2, name, " by places of shape ", places);
    out[at + i] = places[1];
  }
  return {Fact::tensor(DatumType::f32, std::move(out))};
}

std::size_t ResizeKernel::scratch_bytes(Facts in) const {
  return copies || axes_of(in.size()) < 2
             ? 0
             : sizeof(float) * static_cast<std::size_t>(in[0].shape.concrete()->back());
}

void ResizeKernel::run(const KernelIo& io) const {
  const Span out = io.outputs[0].shape;
  if (volume(out) == 0) return;
  const kernels::Resize call = call_for(*this, io);
  const kernels::KernelTable& table = kernels::kernels(isa);
  const int64_t rows = call.outer * call.rows.out;
  const auto taps = static_cast<double>(call.rows.taps + call.columns.taps);
  const std::size_t parts = parts_of(io, work_on(volume(out), 8 * taps), rows);
  share(io, parts, table.resize_scratch(call), [&](std::size_t part, std::byte* scratch) {
    table.resize(call, part_of(rows, 1, part, parts), scratch);
  });
}

std::string ResizeKernel::explain(Facts in, Facts) const {
  return explain_vectors(copies ? "resampling by copies" : "resampling", isa,
                         axes_of(in.size()) == 2 ? "the last two axes at once" : "one axis");
}

}  // namespace strata
