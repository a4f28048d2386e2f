#include "strata/core/optional_libraries.h"

#include <atomic>

namespace strata {
namespace {

std::atomic<const ImageLibrary* (*)()> find_images = nullptr;
std::atomic<const TextLibrary* (*)()> find_text = nullptr;

}  // namespace

void provide_images(const ImageLibrary* (*find)()) { find_images = find; }
void provide_text(const TextLibrary* (*find)()) { find_text = find; }

const ImageLibrary* image_library() {
  const auto find = find_images.load();
  return find ? find() : nullptr;
}

const TextLibrary* text_library() {
  const auto find = find_text.load();
  return find ? find() : nullptr;
}

}  // namespace strata
