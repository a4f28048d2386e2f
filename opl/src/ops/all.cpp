#include "ops/all.h"

namespace strata::opl {

// One sorted line a family.

void register_all(Readers& readers) {
  register_activation(readers);
  register_attention(readers);
  register_binary(readers);
  register_cast(readers);
  register_conv(readers);
  register_gather(readers);
  register_matmul(readers);
  register_normalization(readers);
  register_pad(readers);
  register_pool(readers);
  register_quantized(readers);
  register_recurrent(readers);
  register_reduce(readers);
  register_sampling(readers);
  register_scan(readers);
  register_scatter(readers);
  register_select(readers);
  register_shape(readers);
  register_slice(readers);
  register_softmax(readers);
  register_sources(readers);
  register_spectrum(readers);
  register_unary(readers);
}

void register_all(Writers& writers) {
  register_activation(writers);
  register_binary(writers);
  register_cast(writers);
  register_conv(writers);
  register_gather(writers);
  register_matmul(writers);
  register_normalization(writers);
  register_pad(writers);
  register_pool(writers);
  register_reduce(writers);
  register_sampling(writers);
  register_scan(writers);
  register_scatter(writers);
  register_select(writers);
  register_shape(writers);
  register_slice(writers);
  register_softmax(writers);
  register_spectrum(writers);
  register_unary(writers);
}

}  // namespace strata::opl
