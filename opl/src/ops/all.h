#pragma once

namespace strata::opl {

class Readers;
class Writers;

// One sorted line a family, defined in the source of its name.
void register_activation(Readers& readers);
void register_attention(Readers& readers);
void register_binary(Readers& readers);
void register_cast(Readers& readers);
void register_conv(Readers& readers);
void register_gather(Readers& readers);
void register_matmul(Readers& readers);
void register_normalization(Readers& readers);
void register_pad(Readers& readers);
void register_pool(Readers& readers);
void register_quantized(Readers& readers);
void register_recurrent(Readers& readers);
void register_reduce(Readers& readers);
void register_sampling(Readers& readers);
void register_scan(Readers& readers);
void register_scatter(Readers& readers);
void register_select(Readers& readers);
void register_shape(Readers& readers);
void register_slice(Readers& readers);
void register_softmax(Readers& readers);
void register_sources(Readers& readers);
void register_spectrum(Readers& readers);
void register_unary(Readers& readers);

void register_activation(Writers& writers);
void register_binary(Writers& writers);
void register_cast(Writers& writers);
void register_conv(Writers& writers);
void register_gather(Writers& writers);
void register_matmul(Writers& writers);
void register_normalization(Writers& writers);
void register_pad(Writers& writers);
void register_pool(Writers& writers);
void register_reduce(Writers& writers);
void register_sampling(Writers& writers);
void register_scan(Writers& writers);
void register_scatter(Writers& writers);
void register_select(Writers& writers);
void register_shape(Writers& writers);
void register_slice(Writers& writers);
void register_softmax(Writers& writers);
void register_spectrum(Writers& writers);
void register_unary(Writers& writers);

/// All of them.
void register_all(Readers& readers);
void register_all(Writers& writers);

}  // namespace strata::opl
