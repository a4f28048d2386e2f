#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/utf8.h>

#include <limits>

#include "ops/letter_case.h"
#include "strata/core/error.h"

namespace strata {
namespace {

constexpr const char* kNoLanguage = "";

void check_utf8(const std::string& text) {
  constexpr auto kMostBytes =
      static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() / 4);
  check_data(text.size() <= kMostBytes, "(C2) a string of ", text.size(),
             " bytes is too long to change its case");
  const auto end = static_cast<std::int32_t>(text.size());
  for (std::int32_t i = 0; i < end;) {
    const std::int32_t begin = i;
    UChar32 code_point = 0;
    U8_NEXT(text.data(), i, end, code_point);
    check_data(code_point >= 0, "(C2) a string is not UTF-8 at byte ", begin, ", after ",
               in_quotes(std::string_view(text).substr(0, static_cast<std::size_t>(begin))));
  }
}

}  // namespace

std::string with_unicode_case(const std::string& text, StringCase change) {
  check_utf8(text);
  std::string out;
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  if (change == StringCase::lower)
    icu::CaseMap::utf8ToLower(kNoLanguage, 0, text, sink, nullptr, status);
  else
    icu::CaseMap::utf8ToUpper(kNoLanguage, 0, text, sink, nullptr, status);
  require(U_SUCCESS(status), ErrorKind::internal, "ICU cannot change the case of ", in_quotes(text),
          ": ", std::string_view(u_errorName(status)));
  return out;
}

}  // namespace strata
