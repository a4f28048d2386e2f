#pragma once

#include "kernels/impl/deconv_pack.h"
#include "kernels/impl/deconv_scratch.h"
#include "kernels/impl/pairs.h"

/// The transpose of a convolution, by strips of inputs: each class of phases is a product of its
/// weights and of the strip, read at the shift of each tap. The register tile of the matrix product
/// computes some places of all phases of a block of channels, which are then put in their order.
namespace strata::kernels {
namespace {

Index deconv_tasks(const ConvShape& s) noexcept {
  if (s.batch * s.groups * s.in_channels * volume(s.window.in) == 0) return 0;
  const DeconvPlan plan = plan_deconv(s);
  return s.batch * s.groups * plan.strips * plan.blocks;
}

/// A block of channels of a strip, ready to be computed.
struct DeconvBlock {
  const Deconv& call;
  const DeconvPlan& plan;
  const DeconvScratch& scratch;
  const DeconvStrip& strip;
  const float* weights;
  float* y;  ///< of its first channel
  Index channels;
  RunsAhead& inputs;   ///< of the next strip
  RunsAhead& outputs;  ///< of the next row of places
};

/// Outputs of the row of places after row (z, y) of a strip, of the first phase of z.
inline RunsAhead outputs_after(const DeconvBlock& b, Index z, Index y) {
  const Window& w = b.call.shape.window;
  const Index plane = (b.strip.begin[0] + z) * w.stride[0] - w.pad[0];
  const Index first = (b.strip.begin[1] + y + 1) * w.stride[1] - w.pad[1];
  const Index begin = first < 0 ? 0 : first, end = min_of(first + w.stride[1], w.in[1]);
  if (plane < 0 || plane >= w.in[0] || begin >= end) return {};
  return {b.y + (plane * w.in[1] + begin) * w.in[2], volume(w.in), (end - begin) * w.in[2],
          b.channels};
}

/// Spreads the bias of a block over its rows of sums.
inline void spread_bias(const DeconvBlock& b, const float* bias) {
  for (Index i = 0; i < b.scratch.class_count; ++i) {
    const PhaseClass& c = b.scratch.classes[i];
    float* row = b.scratch.bias + c.row;
    for (Index m = 0; m < b.channels; ++m) {
      for (Index p = 0; p < c.phases; ++p) *row++ = bias ? bias[m] : 0;
    }
  }
}

/// The operands of a tile of a class, whose weights are `a`, for columns from `b` on.
inline TileOperands operands_of(const DeconvBlock& block, const PhaseClass& c, const float* a,
                                const float* b) {
  const Index inputs = block.call.shape.out_channels, steps = c.taps * inputs;
  TileOperands operands{.a = a,
                        .a_row = 1,
                        .a_step = c.panel,
                        .b = b,
                        .b_step = block.plan.plane,
                        .k = inputs,
                        .ahead = b,
                        .ahead_step = 0,
                        .parts = c.offsets,
                        .part_count = c.taps};
  RunsAhead& next = block.outputs.channels > 0 ? block.outputs : block.inputs;
  if (next.channels == 0 || steps == 0) return operands;
  operands.ahead = next.first;
  operands.ahead_step = ceil_div(next.size, steps);
  next.first += next.plane;
  --next.channels;
  return operands;
}

/// The sums of some columns of a strip, of all phases and channels.
[[gnu::noinline]] inline void multiply_columns(const DeconvBlock& b, Range columns) {
  const ClipRange range = clip_range(b.call.activation);
  const float* from = b.scratch.strip + columns.begin;
  for (Index i = 0; i < b.scratch.class_count; ++i) {
    const PhaseClass& c = b.scratch.classes[i];
    const Index rows = b.channels * c.phases, depth = c.taps * b.call.shape.out_channels;
    for (Index r = 0; r < rows; r += c.panel) {
      const TileFinish finish{.c = b.scratch.sums + (c.row + r) * kTileColumns,
                              .c_stride = kTileColumns,
                              .row_bias = b.scratch.bias + c.row + r,
                              .clips = is_clip(b.call.activation.op),
                              .low = range.low,
                              .high = range.high};
      tile_for(min_of(c.panel, rows - r), columns.end - columns.begin)(
          operands_of(b, c, b.weights + c.weights + r * depth, from), finish);
    }
  }
}

/// Some places of a row of outputs.
struct PlaceRun {
  Index output;  ///< the first, which may be cut off
  Index size;    ///< outputs of the row
  Index at;      ///< column of its sums
  Index places;
};

/// Two phases in turns.
inline void join_pairs(const float* even, const float* odd, const PlaceRun& run, float* y) {
  const Index cut = run.output < 0 ? -run.output : 0;
  if (cut % 2 == 1) y[0] = odd[cut / 2];
  Index i = ceil_div(cut, 2), o = run.output + 2 * i;
  const Index end = min_of(run.size, run.output + 2 * run.places);
  for (; o + 2 * kLanes <= end; i += kLanes, o += 2 * kLanes)
    store_pairs(y + o, load(even + i), load(odd + i));
  if (o >= end) return;
  float rest[2 * kLanes];
  store_pairs(rest, load(even + i), load(odd + i));
  copy_run(rest, 1, y + o, end - o);
}

constexpr Index kMostJoined = 16;  ///< phases of a row

/// A power of two of phases in turns. Joined two by two, those half of all apart, they are half as
/// many rows that are twice as long, until there are two.
[[gnu::noinline]] inline void join_halves(const float* (&phases)[kMostJoined], Index count,
                                          PlaceRun run, float* y) {
  float room[2][kMostJoined * kTileColumns];
  for (bool side = false; count > 2; run.places *= 2, side = !side) {
    count /= 2;
    float* to = room[side];
    for (Index p = 0; p < count; ++p) {
      const float *const even = phases[p], *const odd = phases[p + count];
      phases[p] = to;
      for (Index i = 0; i < run.places; i += kLanes, to += 2 * kLanes)
        store_pairs(to, load(even + i), load(odd + i));
    }
  }
  join_pairs(phases[0], phases[1], run, y);
}

/// Writes the outputs of a run to the row y, of phases whose sums are told by `rows`, of channel m.
inline void join_run(const DeconvBlock& b, const PhaseRow* rows, Index m, const PlaceRun& run,
                     float* y) {
  const Index stride = b.call.shape.window.stride[2];
  const auto sums = [&](Index phase) {
    return b.scratch.sums + (rows[phase].row + m * rows[phase].step) * kTileColumns + run.at;
  };
  if (stride == 2) return join_pairs(sums(0), sums(1), run, y);
  if (stride > 2 && stride <= kMostJoined && (stride & (stride - 1)) == 0) {
    const float* phases[kMostJoined];
    for (Index phase = 0; phase < stride; ++phase) phases[phase] = sums(phase);
    return join_halves(phases, stride, run, y);
  }
  for (Index phase = 0; phase < stride; ++phase) {
    const float* from = sums(phase);
    const Index first = run.output + phase, skipped = first < 0 ? ceil_div(-first, stride) : 0;
    const Index end = min_of(run.places, ceil_div(run.size - first, stride));
    if (stride == 1 && end > skipped) {
      copy_run(from + skipped, 1, y + first + skipped, end - skipped);
      continue;
    }
    for (Index i = skipped; i < end; ++i) y[first + i * stride] = from[i];
  }
}

/// Writes the outputs of some places of one row of places, whose first column of sums is `at`.
[[gnu::noinline]] inline void join_places(const DeconvBlock& b, Index z, Index y, Index x, Index at,
                                          Index places) {
  const Window& w = b.call.shape.window;
  const auto output = [&](int a, Index place, Index phase) {
    return (b.strip.begin[a] + place) * w.stride[a] + phase - w.pad[a];
  };
  const PlaceRun run{output(2, x, 0), w.in[2], at, places};
  const Index begin = run.output > 0 ? run.output : 0;
  const Index end = min_of(run.size, run.output + places * w.stride[2]);
  const UnaryFunction& f = b.call.activation;
  const bool applies = f.op != Unary::identity && !is_clip(f.op) && begin < end;
  for (Index pz = 0; pz < w.stride[0]; ++pz) {
    for (Index py = 0; py < w.stride[1]; ++py) {
      const Index oz = output(0, z, pz), oy = output(1, y, py);
      if (oz < 0 || oz >= w.in[0] || oy < 0 || oy >= w.in[1]) continue;
      const PhaseRow* rows = b.scratch.rows + (pz * w.stride[1] + py) * w.stride[2];
      for (Index m = 0; m < b.channels; ++m) {
        float* row = b.y + ((m * w.in[0] + oz) * w.in[1] + oy) * w.in[2];
        join_run(b, rows, m, run, row);
        if (applies) unary(f, row + begin, row + begin, end - begin);
      }
    }
  }
}

/// Row by row, where that leaves no more lanes empty than going over the padding between rows.
inline bool goes_by_rows(const DeconvStrip& strip) {
  return round_up(strip.places[2], kLanes) <= strip.extent[2];
}

inline void run_rows(const DeconvBlock& b) {
  const DeconvStrip& t = b.strip;
  for (Index z = 0; z < t.places[0]; ++z) {
    for (Index y = 0; y < t.places[1]; ++y) {
      const Index row = (z * t.extent[1] + y) * t.extent[2];
      b.outputs = outputs_after(b, z, y);
      for (Index x = 0; x < t.places[2]; x += kTileColumns) {
        const Index places = min_of(kTileColumns, t.places[2] - x);
        multiply_columns(b, {row + x, row + x + places});
        join_places(b, z, y, x, 0, places);
      }
    }
  }
}

/// All places as one row, with what lies between the rows.
inline void run_flat(const DeconvBlock& b) {
  const DeconvStrip& t = b.strip;
  const Index last = ((t.places[0] - 1) * t.extent[1] + t.places[1] - 1) * t.extent[2];
  const Range all{0, last + t.places[2]};
  for (Index q = 0; q < all.end; q += kTileColumns) {
    const Index end = min_of(q + kTileColumns, all.end);
    multiply_columns(b, {q, end});
    for (Index at = q; at < end;) {
      const Index x = at % t.extent[2], row = at / t.extent[2];
      const Index size = min_of(t.extent[2] - x, end - at), places = min_of(size, t.places[2] - x);
      const Index y = row % t.extent[1], z = row / t.extent[1];
      if (places > 0 && y < t.places[1]) join_places(b, z, y, x, at - q, places);
      at += size;
    }
  }
}

void deconv(const Deconv& d, Range tasks, void* memory) noexcept {
  const ConvShape& s = d.shape;
  const DeconvPlan plan = plan_deconv(s);
  DeconvScratch scratch;
  place_scratch(s, plan, reinterpret_cast<std::uintptr_t>(memory), scratch);
  list_classes(s, plan, scratch);
  const Index inputs = volume(s.window.out), outputs = volume(s.window.in);
  const Index weights = block_weights(s, plan);
  RunsAhead next_inputs{}, next_outputs{};
  for (Index task = tasks.begin; task < tasks.end; ++task) {
    const Index block = task % plan.blocks, outer = task / plan.blocks / plan.strips;
    const DeconvStrip strip = strip_of(plan, task / plan.blocks % plan.strips);
    const float* x = d.x + outer * s.out_channels * inputs;
    if (block == 0 || task == tasks.begin) {
      pack_strip(s, plan, strip, x, scratch.strip);
      next_inputs = inputs_after(d, plan, strip, x);
    }
    const Index group = outer % s.groups, first = block * plan.group;
    const DeconvBlock b{d,
                        plan,
                        scratch,
                        strip,
                        d.packed_weights + (group * plan.blocks + block) * weights,
                        d.y + (outer * s.in_channels + first) * outputs,
                        min_of(plan.group, s.in_channels - first),
                        next_inputs,
                        next_outputs};
    spread_bias(b, d.bias ? d.bias + group * s.in_channels + first : nullptr);
    goes_by_rows(strip) ? run_rows(b) : run_flat(b);
  }
}

}  // namespace
}  // namespace strata::kernels
