#include <cstddef>
#include <cstdint>
#include <span>

#include "stages.h"
#include "strata/onnx/load.h"

using namespace strata;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  testing::try_stages([&] {
    const Limits limits = testing::fuzz_limits();
    hir::InferenceModel model = onnx::load(std::as_bytes(std::span(data, size)), {}, limits);
    model.analyse();
    return model.to_typed();
  });
  return 0;
}
