#include "ops/all.h"

namespace strata::opl {

void register_all(Registry& registry) {
  // One sorted line a family.
  register_activation(registry);
  register_binary(registry);
  register_cast(registry);
  register_conv(registry);
  register_gather(registry);
  register_matmul(registry);
  register_normalization(registry);
  register_pad(registry);
  register_pool(registry);
  register_reduce(registry);
  register_select(registry);
  register_shape(registry);
  register_slice(registry);
  register_softmax(registry);
  register_sources(registry);
  register_unary(registry);
}

}  // namespace strata::opl
