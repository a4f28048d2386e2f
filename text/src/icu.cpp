#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/utf8.h>

#include <stdexcept>

#include "parts.h"

namespace strata {
namespace {

constexpr const char* kNoLanguage = "";

std::size_t valid_bytes(const std::string& text) {
  const auto end = static_cast<std::int32_t>(text.size());
  std::int32_t at = 0;
  while (at < end) {
    const std::int32_t begin = at;
    UChar32 code_point = 0;
    U8_NEXT(text.data(), at, end, code_point);
    if (code_point < 0) return static_cast<std::size_t>(begin);
  }
  return text.size();
}

/// One of the functions of icu::CaseMap.
using Change = void (*)(const char* locale, std::uint32_t options, icu::StringPiece text,
                        icu::ByteSink& sink, icu::Edits* edits, UErrorCode& status);

template <Change change>
std::string changed(const std::string& text) {
  std::string out;
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  change(kNoLanguage, 0, text, sink, nullptr, status);
  if (U_FAILURE(status))
    throw std::runtime_error(std::string("ICU cannot change the case of a text: ") +
                             u_errorName(status));
  return out;
}

}  // namespace

TextLibrary with_icu(TextLibrary library) {
  library.valid_bytes = valid_bytes;
  library.lower_case = changed<icu::CaseMap::utf8ToLower>;
  library.upper_case = changed<icu::CaseMap::utf8ToUpper>;
  return library;
}

}  // namespace strata
