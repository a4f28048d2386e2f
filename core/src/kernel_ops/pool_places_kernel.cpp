#include "kernel_ops/pool_places_kernel.h"

#include <algorithm>

#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/pool_kernel.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "ops/inside.h"

namespace strata {
namespace {

using kernels::Range;
using std::int64_t;

/// The outputs of an axis that a tap gives an element inside it.
Inside outputs_inside(const kernels::Window& w, std::size_t axis, int64_t tap) {
  return inside(tap * w.dilation[axis] - w.pad[axis], w.stride[axis], w.out[axis], w.in[axis]);
}

/// The places of outputs that take x[i * stride], where that is what they took or no number. By
/// bits, as no branch on numbers is foreseen.
void mark(const float* x, int64_t stride, int64_t place, const float* y, int64_t n,
          int64_t* places) {
  for (int64_t i = 0; i < n; ++i, x += stride, place += stride)
    places[i] ^= (places[i] ^ place) & -int64_t{(*x == y[i]) | (*x != *x)};
}

/// Those of a plane that begins at offset `first` of the image. The last tap goes first, so the
/// first has the last word.
void find_places(const kernels::Window& w, const float* x, int64_t first, const float* y,
                 int64_t* places) {
  std::fill_n(places, w.out[0] * w.out[1] * w.out[2], -1);
  for (int64_t tap = w.kernel[0] * w.kernel[1] * w.kernel[2] - 1; tap >= 0; --tap) {
    const int64_t along = tap % w.kernel[2], down = tap / w.kernel[2] % w.kernel[1],
                  deep = tap / (w.kernel[2] * w.kernel[1]);
    const Inside columns = outputs_inside(w, 2, along), rows = outputs_inside(w, 1, down),
                 slices = outputs_inside(w, 0, deep);
    const auto element = [&](std::size_t axis, int64_t output, int64_t at) {
      return output * w.stride[axis] + at * w.dilation[axis] - w.pad[axis];
    };
    for (int64_t z = slices.begin; z < slices.end; ++z)
      for (int64_t row = rows.begin; row < rows.end; ++row) {
        const int64_t from = (element(0, z, deep) * w.in[1] + element(1, row, down)) * w.in[2] +
                             element(2, columns.begin, along);
        const int64_t to = (z * w.out[1] + row) * w.out[2] + columns.begin;
        mark(x + from, w.stride[2], first + from, y + to, columns.end - columns.begin, places + to);
      }
  }
}

}  // namespace

FactList PoolPlacesKernel::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Fact& each = in[i];
    check(is_f32(each) && (each.shape.is_open() || each.shape.rank() == kernel.size() + 2),
          "an image and its maxima for a kernel ", Span(kernel), " are f32 of rank ",
          kernel.size() + 2, ", not ", each);
  }
  return {Fact::tensor(DatumType::i64, in[1].shape)};
}

void PoolPlacesKernel::run(const KernelIo& io) const {
  const Span x = io.inputs[0].shape, out = io.outputs[0].shape;
  if (volume(out) == 0) return;
  kernels::Window w;
  const PoolWindows windows{kernel, strides, dilations, padding};
  for (std::size_t i = 0; i < kernel.size(); ++i)
    set_window_axis(w, i, kernel.size(), windows.axis(i, x, out));
  const int64_t in_size = w.in[0] * w.in[1] * w.in[2], out_size = w.out[0] * w.out[1] * w.out[2];
  const auto taps = static_cast<double>(volume(kernel));
  share_range(io, work_on(volume(out), 4 * taps), x[0] * x[1], 1, [&](Range planes) {
    for (int64_t p = planes.begin; p < planes.end; ++p)
      find_places(w, io.inputs[0].as<float>() + p * in_size, p * in_size,
                  io.inputs[1].as<float>() + p * out_size,
                  io.outputs[0].as<int64_t>() + p * out_size);
  });
}

std::string PoolPlacesKernel::explain(Facts, Facts) const {
  return "compares the elements of each window with its maximum, a tap at a time";
}

/// Pool of f32 with places, counted row by row -> Pool without them, and its places
Rewrite find_pool_places(const NodeView& node, const Target&) {
  const Pool* pool = node.op().as<Pool>();
  const Fact& x = node.input_fact(0);
  if (!pool || pool->indices != PoolIndices::row_major || !suits_kernels(*pool) || !is_f32(x) ||
      x.shape.is_open())
    return no_change;
  Pool plain = *pool;
  plain.indices = PoolIndices::none;
  Patch patch(node);
  const OutletId most = patch.wire_as("", plain, {node.input(0)}, {node.output_fact(0)})[0];
  const PoolPlacesKernel places{pool->kernel, pool->strides, pool->dilations, pool->padding};
  patch.shunt(node.output(0), most);
  patch.shunt(node.output(1), patch.wire_one("places", places, {node.input(0), most}));
  return patch;
}

}  // namespace strata
