#include "ops/all.h"

namespace strata::onnx {

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    register_concat(r);
    register_if(r);
    register_loop(r);
    return r;
  }();
  return all;
}

}  // namespace strata::onnx
