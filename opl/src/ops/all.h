#pragma once

namespace strata::opl {

class Registry;

// One sorted line a family, defined in the source of its name.
void register_activation(Registry& registry);
void register_binary(Registry& registry);
void register_cast(Registry& registry);
void register_conv(Registry& registry);
void register_gather(Registry& registry);
void register_matmul(Registry& registry);
void register_normalization(Registry& registry);
void register_pad(Registry& registry);
void register_pool(Registry& registry);
void register_reduce(Registry& registry);
void register_select(Registry& registry);
void register_shape(Registry& registry);
void register_slice(Registry& registry);
void register_softmax(Registry& registry);
void register_sources(Registry& registry);
void register_unary(Registry& registry);

/// All of them.
void register_all(Registry& registry);

}  // namespace strata::opl
