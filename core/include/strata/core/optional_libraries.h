#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

/// Libraries that few models need: image codecs for ImageDecoder, regular expressions for
/// RegexFullMatch, Unicode case mapping for StringNormalizer. Core does not link them. A program
/// that needs them provides them once, before its first model; without them, these ops fail with
/// `unsupported` when they run, StringNormalizer only for letters beyond ASCII. strata::images and
/// strata::text are the libraries to link.
namespace strata {

/// What an image file says of its size.
struct ImageSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// Returns memory for the pixels of an image, as R, G, B bytes row by row. Called once with its
/// size, before anything is decoded.
using MakeRoom = std::function<std::span<std::uint8_t>(ImageSize)>;

struct ImageLibrary {
  /// Decodes an image file of any known kind. Returns false, perhaps after asking for room, when it
  /// cannot be decoded. Throws: what `room` throws.
  bool (*decode)(std::span<const std::uint8_t> file, const MakeRoom& room);
};

/// A compiled regular expression, or why it cannot be compiled.
struct CompiledPattern {
  std::function<bool(const std::string& text)>
      matches_all;     ///< whether it matches a whole text, in time that grows only with the text
  std::string defect;  ///< empty where there is none
};

/// Each function may be null, as different libraries are behind them.
struct TextLibrary {
  /// Compiles a pattern of RE2's syntax.
  CompiledPattern (*compile)(const std::string& pattern);
  /// How many bytes, from the start, are whole characters of UTF-8.
  std::size_t (*valid_bytes)(const std::string& text);
  /// The text, which is UTF-8, with its letters in lower or upper case, by Unicode's full mappings
  /// that hold in all languages: a letter may become several, and a sigma at the end of a word
  /// differs.
  std::string (*lower_case)(const std::string& text);
  std::string (*upper_case)(const std::string& text);
};

/// Provides a library: `find` is called when an op needs it, and returns null if it is not
/// available.
void provide_images(const ImageLibrary* (*find)());
void provide_text(const TextLibrary* (*find)());

/// What was provided, or null.
const ImageLibrary* image_library();
const TextLibrary* text_library();

}  // namespace strata
