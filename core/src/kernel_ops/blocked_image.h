#pragma once

#include "kernel_ops/kernel_op.h"

/// Images whose channels lie in blocks, [batch, blocks, in..., kChannelBlock], and the ops to and
/// from them: vectors run over channels, so that no lane is empty however small an image is.
namespace strata {

namespace kernels {
constexpr auto enumerators(Layout) {
  return std::to_array<std::pair<Layout, std::string_view>>(
      {{Layout::planes, "planes"}, {Layout::blocks, "blocks"}});
}
constexpr auto enumerators(BlockedMethod) {
  using enum BlockedMethod;
  return std::to_array<std::pair<BlockedMethod, std::string_view>>({{direct, "direct"},
                                                                    {depthwise, "depthwise"},
                                                                    {grouped, "grouped"},
                                                                    {winograd2, "winograd2"},
                                                                    {winograd4, "winograd4"}});
}
}  // namespace kernels

inline std::int64_t blocks_of(std::int64_t channels) {
  return (channels + kernels::kChannelBlock - 1) / kernels::kChannelBlock;
}
/// From the fact of images [batch, channels, in...] to that in blocks, and the other way round.
Fact blocked_fact(const Fact& planes);
Fact planes_fact(const Fact& blocked, std::int64_t channels);

/// f32[N, C, in...] -> f32[N, blocks, in..., kChannelBlock]; zeros fill up the last block.
struct BlockChannels {
  static constexpr std::string_view name = "BlockChannels";
  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
};
static_assert(OpDef<BlockChannels>);

/// f32[N, blocks, in..., kChannelBlock] -> f32[N, channels, in...]
struct UnblockChannels {
  static constexpr std::string_view name = "UnblockChannels";
  std::int64_t channels = 1;

  static constexpr auto attributes() {
    return std::tuple{attr("channels", &UnblockChannels::channels)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
};
static_assert(OpDef<UnblockChannels>);

}  // namespace strata
