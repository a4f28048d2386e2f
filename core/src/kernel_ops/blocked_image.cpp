#include "kernel_ops/blocked_image.h"

#include <algorithm>

#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "kernels/copy.h"

namespace strata {
namespace {

using std::int64_t;

constexpr int64_t kBlock = kernels::kChannelBlock, kFloat = sizeof(float);

/// Pixels of an image from which on convolutions share its rows among threads, not its channels.
constexpr int64_t kManyPixels = 14 * 14;

/// The sizes of an image that a copy to or from blocks needs.
struct BlockedSizes {
  int64_t images, channels, plane;
  int64_t blocks() const { return blocks_of(channels); }
  /// Channels in the block `block` of all images.
  int64_t width(int64_t block) const {
    return std::min(kBlock, channels - block % blocks() * kBlock);
  }
};

/// Some pixels of a block, and where they lie, in bytes.
struct BlockedRun {
  int64_t width;  ///< channels
  int64_t pixels;
  int64_t in_planes, in_blocks;
};

BlockedRun run_of(const BlockedSizes& sizes, int64_t block, kernels::Range pixels) {
  const int64_t channel = block / sizes.blocks() * sizes.channels + block % sizes.blocks() * kBlock;
  return {sizes.width(block), pixels.end - pixels.begin,
          (channel * sizes.plane + pixels.begin) * kFloat,
          (block * sizes.plane + pixels.begin) * kBlock * kFloat};
}

/// Threads share the pixels or, in small images, the blocks, as the convolutions before and after
/// do: data that another core has written takes longer to read.
template <class Run>
void for_each_run(const KernelIo& io, const BlockedSizes& sizes, const Run& run) {
  const int64_t count = sizes.images * sizes.blocks();
  const WorkSize work = work_on(2 * count * sizes.plane * kBlock, 1);
  const auto visit = [&](kernels::Range blocks, kernels::Range pixels) {
    for (int64_t block = blocks.begin; block < blocks.end; ++block)
      run(run_of(sizes, block, pixels));
  };
  if (sizes.images == 1 && sizes.plane >= kManyPixels)
    share_range(io, work, sizes.plane, kBlock, [&](kernels::Range pixels) {
      visit({0, count}, pixels);
    });
  else
    share_range(io, work, count, 1, [&](kernels::Range blocks) {
      visit(blocks, {0, sizes.plane});
    });
}

}  // namespace

Fact blocked_fact(const Fact& planes) {
  std::vector<Dim> dims = planes.shape.dims();
  dims[1] = floor_div(dims[1] + (kBlock - 1), kBlock);
  dims.push_back(kBlock);
  return Fact::tensor(DatumType::f32, std::move(dims));
}

Fact planes_fact(const Fact& blocked, int64_t channels) {
  std::vector<Dim> dims = blocked.shape.dims();
  dims.pop_back();
  dims[1] = channels;
  return Fact::tensor(DatumType::f32, std::move(dims));
}

FactList BlockChannels::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(is_f32(in[0]) && in[0].shape.is_known() && in[0].shape.rank() >= 2, name, " of ", in[0]);
  return {blocked_fact(in[0])};
}

void BlockChannels::run(const KernelIo& io) const {
  const Span x = io.inputs[0].shape;
  const BlockedSizes sizes{x[0], x[1], volume(x.subspan(2))};
  for_each_run(io, sizes, [&](const BlockedRun& run) {
    std::byte* to = io.outputs[0].data + run.in_blocks;
    if (run.width < kBlock) std::fill_n(to, run.pixels * kBlock * kFloat, std::byte{0});
    kernels::StridedCopy copy(sizeof(float));
    copy.add_outer(run.width, sizes.plane * kFloat, kFloat);
    copy.add_outer(run.pixels, kFloat, kBlock * kFloat);
    copy.run(io.inputs[0].data + run.in_planes, to);
  });
}

FactList UnblockChannels::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(is_f32(in[0]) && in[0].shape.is_known() && in[0].shape.rank() >= 3 &&
            in[0].shape[1] == Dim(blocks_of(channels)),
        name, " of ", in[0], " to ", channels, " channels");
  return {planes_fact(in[0], channels)};
}

void UnblockChannels::run(const KernelIo& io) const {
  const Span y = io.outputs[0].shape;
  const BlockedSizes sizes{y[0], y[1], volume(y.subspan(2))};
  for_each_run(io, sizes, [&](const BlockedRun& run) {
    kernels::StridedCopy copy(sizeof(float));
    copy.add_outer(run.pixels, kBlock * kFloat, kFloat);
    copy.add_outer(run.width, kFloat, sizes.plane * kFloat);
    copy.run(io.inputs[0].data + run.in_blocks, io.outputs[0].data + run.in_planes);
  });
}

/// BlockChannels(UnblockChannels(x)) -> x
Rewrite cancel_blocks(const NodeView& node, const Target&) {
  if (!node.op().as<BlockChannels>() || !node.producer_as<UnblockChannels>(0)) return no_change;
  return bypass(node, node.producer(0).input(0));
}

}  // namespace strata
