#include "kernel_ops/resize_kernel.h"

#include <cstring>

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/shared_work.h"
#include "kernels/planes.h"

namespace strata {
namespace {

using std::int64_t;

/// Whether places are 0, 0, 1, 1, …
bool are_doubled(const TensorView& places) {
  const auto* place = places.as<std::int32_t>();
  for (int64_t i = 0; i < places.shape[1]; ++i)
    if (place[i] != i / 2) return false;
  return true;
}

/// Axis `i` of those resampled.
kernels::ResizedAxis axis_of(const ResizeKernel& op, const KernelIo& io, std::size_t i) {
  const std::size_t input = 1 + i * (op.copies ? 1 : 2);
  const TensorView& places = io.inputs[input];
  const int64_t in = io.inputs[0].shape[static_cast<std::size_t>(op.axis) + i];
  return {.in = in,
          .out = places.shape[1],
          .taps = places.shape[0],
          .inputs = places.as<std::int32_t>(),
          .weights = op.copies ? nullptr : io.inputs[input + 1].as<float>(),
          .doubles = op.copies && places.shape[1] == 2 * in && are_doubled(places)};
}

kernels::Resize call_for(const ResizeKernel& op, const KernelIo& io) {
  const Span x = io.inputs[0].shape;
  const auto at = static_cast<std::size_t>(op.axis);
  kernels::Resize call;
  call.outer = volume(x.first(at));
  if (io.inputs[0].dtype == DatumType::f32) {
    call.x = io.inputs[0].as<float>();
    call.y = io.outputs[0].as<float>();
  }
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

/// Two copies of each of n elements.
template <class T>
void double_row(const T* x, int64_t n, T* y) {
  int64_t i = 0;
  if constexpr (sizeof(T) <= 8) {
    using Lanes = kernels::planes::Lanes<sizeof(T)>;
    constexpr int count = Lanes::count;
    for (; i + count <= n; i += count) {
      const auto v = Lanes::load(reinterpret_cast<const std::byte*>(x + i));
      auto* to = reinterpret_cast<std::byte*>(y + 2 * i);
      Lanes::store(to, Lanes::template by_turns<0>(v, v));
      Lanes::store(to + sizeof v, Lanes::template by_turns<count / 2>(v, v));
    }
  }
  for (; i < n; ++i) y[2 * i] = y[2 * i + 1] = x[i];
}

/// Rows of elements of any type, which are copies.
class RowCopies {
 public:
  RowCopies(const kernels::Resize& call, const KernelIo& io)
      : call_(call), io_(io), width_(width_of(io.inputs[0])) {}

  void run(kernels::Range rows) const {
    const kernels::ResizedAxis& axis = call_.rows;
    const int64_t size = call_.columns.out * width_;
    std::byte* y = io_.outputs[0].data + rows.begin * size;
    int64_t last = -1;
    for (int64_t row = rows.begin; row < rows.end; ++row, y += size) {
      const int64_t outer = row / axis.out, o = row % axis.out;
      const int64_t from = outer * axis.in + (axis.inputs ? axis.inputs[o] : o);
      if (from == last)
        std::memcpy(y, y - size, static_cast<std::size_t>(size));
      else
        copy_row(io_.inputs[0].data + from * call_.columns.in * width_, y);
      last = from;
    }
  }

 private:
  void copy_row(const std::byte* from, std::byte* to) const {
    const kernels::ResizedAxis& axis = call_.columns;
    if (!axis.inputs) {
      std::memcpy(to, from, static_cast<std::size_t>(axis.in * width_));
      return;
    }
    visit_width(io_.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
      const T* x = reinterpret_cast<const T*>(from);
      T* y = reinterpret_cast<T*>(to);
      if (axis.doubles) return double_row(x, axis.in, y);
      for (int64_t i = 0; i < axis.out; ++i) y[i] = x[axis.inputs[i]];
    });
  }

  const kernels::Resize& call_;
  const KernelIo& io_;
  const int64_t width_;
};

/// Whether elements are moved whatever their type.
bool is_moved(const ResizeKernel& op, DatumType type) {
  return op.copies && type != DatumType::f32;
}

}  // namespace

FactList ResizeKernel::output_facts(Facts in) const {
  check(in.size() > 1 && (in.size() - 1) % (copies ? 1 : 2) == 0 && axes_of(in.size()) <= 2, name,
        " has ", in.size(), " inputs");
  const std::size_t count = axes_of(in.size()), at = static_cast<std::size_t>(axis);
  check((is_f32(in[0]) || (copies && is_movable(in[0]))) && in[0].shape.is_known() &&
            at + count <= in[0].shape.rank(),
        name, " along axis ", axis, " of ", in[0].to_string());
  check(count == 1 || at + 2 == in[0].shape.rank(), name, " along two axes from ", axis, " of ",
        in[0].to_string());
  std::vector<Dim> out = in[0].shape.dims();
  for (std::size_t i = 0; i < count; ++i) {
    const ShapeFact& places = in[1 + i * (copies ? 1 : 2)].shape;
    check(places.is_known() && places.rank() == 2, name, " by places of shape ", places);
    out[at + i] = places[1];
  }
  return {Fact::tensor(in[0].dtype, std::move(out))};
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
  const WorkSize work = work_on(volume(out), 8 * taps);
  if (is_moved(*this, io.inputs[0].dtype)) {
    const RowCopies copies_of(call, io);
    return share_range(io, work, rows, 1, [&](kernels::Range part) { copies_of.run(part); });
  }
  share_range(io, work, {.n = rows, .scratch_bytes = table.resize_scratch(call)},
              [&](kernels::Range part, std::byte* scratch) { table.resize(call, part, scratch); });
}

std::string ResizeKernel::explain(Facts in, Facts) const {
  if (is_moved(*this, in[0].dtype))
    return cat("copy of elements of ", width_of(in[0].dtype), " bytes");
  return explain_vectors(copies ? "resampling by copies" : "resampling", isa,
                         axes_of(in.size()) == 2 ? "the last two axes at once" : "one axis");
}

}  // namespace strata
