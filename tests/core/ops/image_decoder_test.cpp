#include "strata/core/ops/image_decoder.h"

#include <doctest/doctest.h>

#include "strata/core/limits.h"
#include "support/libraries.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor bytes(std::string_view text) {
  return Tensor::vector<std::uint8_t>(
      std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

/// A PPM of two pixels: (10, 20, 30) and (255, 0, 0).
const Tensor kTwoPixels = bytes(std::string_view("P6\n2 1\n255\n\x0a\x14\x1e\xff\x00\x00", 17));

bool has_codecs() {
  provide_libraries();
  try {
    ImageDecoder{}.eval(TensorList{kTwoPixels});
    return true;
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unsupported);
    return false;
  }
}

}  // namespace

TEST_SUITE("image_decoder") {
  TEST_CASE("image_decoder gives channels in the order of the format") {
    if (!has_codecs()) return;
    check_op(ImageDecoder{}, {kTwoPixels},
             {Tensor::of<std::uint8_t>({1, 2, 3}, {10, 20, 30, 255, 0, 0})});
    check_op(ImageDecoder{PixelFormat::bgr}, {kTwoPixels},
             {Tensor::of<std::uint8_t>({1, 2, 3}, {30, 20, 10, 0, 0, 255})});
    // 2.99 + 11.74 + 3.42 = 18.15 and 76.245.
    check_op(ImageDecoder{PixelFormat::grayscale}, {kTwoPixels},
             {Tensor::of<std::uint8_t>({1, 2, 1}, {18, 76})});
  }
  TEST_CASE("image_decoder gives an empty image for what is none, or ends early") {
    if (!has_codecs()) return;
    const Tensor none = Tensor::of<std::uint8_t>({0, 0, 3}, {});
    check_op(ImageDecoder{}, {bytes("no image")}, {none});
    check_op(ImageDecoder{}, {bytes("")}, {none});
    check_op(ImageDecoder{}, {bytes("\x89PNG\r\n\x1a\n")}, {none});
  }
  TEST_CASE("image_decoder takes room from the limits before it decodes") {
    if (!has_codecs()) return;
    Limits limits;
    limits.tensor_bytes = 1 << 20;
    const MemoryScope scope(limits);
    try {
      ImageDecoder{}.eval(TensorList{bytes("P6\n30000 30000\n255\n\x0a\x14\x1e")});
      FAIL("a large image was decoded");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::limit);
    }
  }

  TEST_CASE("image_decoder_c1: no stream") {
    CHECK_THROWS_WITH_AS(facts_of(ImageDecoder{}, {}), doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("image_decoder_c2: a stream of floats") {
    CHECK_THROWS_WITH_AS(facts_of(ImageDecoder{}, {Fact::tensor(DatumType::f32, Shape{3})}),
                         doctest::Contains("(C2)"), Error);
  }
  TEST_CASE("image_decoder_c3: a stream of two axes") {
    CHECK_THROWS_WITH_AS(facts_of(ImageDecoder{}, {Fact::tensor(DatumType::u8, Shape{3, 1})}),
                         doctest::Contains("(C3)"), Error);
  }
}
