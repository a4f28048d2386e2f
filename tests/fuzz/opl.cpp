#include <cstddef>
#include <cstdint>
#include <span>

#include "stages.h"
#include "strata/opl/archive.h"
#include "strata/opl/model.h"

using namespace strata;

/// A tar, or the text of a graph alone.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const opl::FileBytes file{std::as_bytes(std::span(data, size)), nullptr};
  testing::try_stages([&] {
    const bool is_text = file.text().starts_with("version");
    const auto files = is_text
                           ? opl::ArchiveFiles{{"graph.nnef", file}}
                           : opl::read_archive(file, "fuzzed", {.entries = 64, .bytes = 1 << 24});
    return opl::load(files, "fuzzed", testing::fuzz_limits());
  });
  return 0;
}
