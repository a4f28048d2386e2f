#include <re2/re2.h>

#include <memory>

#include "parts.h"

namespace strata {
namespace {

constexpr std::int64_t kMostMemory = 8 << 20;  ///< of a compiled pattern and the states it visits

CompiledPattern compile(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  auto expression = std::make_shared<const RE2>(pattern, options);
  if (!expression->ok()) return {{}, expression->error()};
  return {[expression](const std::string& text) { return RE2::FullMatch(text, *expression); }, {}};
}

}  // namespace

TextLibrary with_re2(TextLibrary library) {
  library.compile = compile;
  return library;
}

}  // namespace strata
