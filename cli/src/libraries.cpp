#include "libraries.h"

#include "strata/core/module.h"
#include "strata/core/optional_libraries.h"

namespace strata::cli {
namespace {

const ImageLibrary* find_images() {
  static const void* library = call_module("strata_images.so", "strata_image_library");
  return static_cast<const ImageLibrary*>(library);
}

const TextLibrary* find_text() {
  static const void* library = call_module("strata_text.so", "strata_text_library");
  return static_cast<const TextLibrary*>(library);
}

}  // namespace

void provide_libraries() {
  provide_images(find_images);
  provide_text(find_text);
}

}  // namespace strata::cli
