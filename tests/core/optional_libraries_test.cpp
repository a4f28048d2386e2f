#include "strata/core/optional_libraries.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "strata/core/error.h"
#include "strata/core/module.h"
#include "strata/core/ops/image_decoder.h"
#include "strata/core/ops/regex_full_match.h"
#include "strata/core/ops/string_normalizer.h"

using namespace strata;

namespace {

const Tensor kStream = Tensor::of<std::uint8_t>({2}, {1, 2});
const StringNormalizer kUpper{StringCase::upper, StopWordMatch::exact, {}};

std::string lack_of(const TypedOp& op, const Tensor& input) {
  try {
    op.eval(ValueList{input});
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unsupported);
    return error.message();
  }
  return {};
}

/// A library whose every image is one red pixel.
bool decode_red(std::span<const std::uint8_t>, const MakeRoom& room) {
  const std::span<std::uint8_t> pixels = room({1, 1});
  std::ranges::copy(std::to_array<std::uint8_t>({255, 0, 0}), pixels.begin());
  return true;
}
const ImageLibrary* red_images() {
  static constexpr ImageLibrary kLibrary{decode_red};
  return &kLibrary;
}

/// A library that can compile nothing, and knows no letters.
CompiledPattern refuse(const std::string&) { return {{}, "too hard"}; }
const TextLibrary* refusing_text() {
  static constexpr TextLibrary kLibrary{refuse, nullptr, nullptr, nullptr};
  return &kLibrary;
}

}  // namespace

TEST_SUITE("optional libraries") {
  TEST_CASE("an op that needs a library says so in a program without it") {
    CHECK(lack_of(ImageDecoder{}, kStream) == "this program has no image codecs (strata::images)");
    CHECK(lack_of(RegexFullMatch{"a"}, Tensor::scalar(std::string("a"))) ==
          "this program has no regular expressions (strata::text)");
    CHECK(lack_of(kUpper, Tensor::of<std::string>({1}, {"\u00e9"})) ==
          "this program changes the case of ASCII letters only (strata::text), \"\u00e9\" given");
    CHECK(lack_of(kUpper, Tensor::of<std::string>({1}, {"e"})).empty());
  }

  TEST_CASE("an op asks the library that was provided last") {
    provide_images(red_images);
    CHECK(ImageDecoder{PixelFormat::bgr}.eval(TensorList{kStream})[0] ==
          Tensor::of<std::uint8_t>({1, 1, 3}, {0, 0, 255}));
    provide_images([]() -> const ImageLibrary* { return nullptr; });
    CHECK_FALSE(lack_of(ImageDecoder{}, kStream).empty());
    provide_images(nullptr);
    CHECK_FALSE(lack_of(ImageDecoder{}, kStream).empty());
  }

  TEST_CASE("a library may give a part of the text functions") {
    provide_text(refusing_text);
    CHECK_THROWS_WITH_AS(RegexFullMatch{"a"}.eval(TensorList{Tensor::scalar(std::string("a"))}),
                         "(C2) \"a\" is no regular expression: too hard", Error);
    CHECK_FALSE(lack_of(kUpper, Tensor::of<std::string>({1}, {"\u00e9"})).empty());
    provide_text(nullptr);
  }

  TEST_CASE("a module that is not there, and a library without the function") {
    CHECK(call_module("strata_no_such_module.so", "strata_image_library") == nullptr);
    CHECK(call_module("libm.so.6", "strata_image_library") == nullptr);
  }
}
