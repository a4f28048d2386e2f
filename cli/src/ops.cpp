#include <algorithm>

#include "commands.h"
#include "json.h"
#include "strata/onnx/registry.h"
#include "terminal.h"

namespace strata::cli {
namespace {

std::string padded(std::string text, std::size_t width) {
  return text + std::string(width - text.size(), ' ');
}

}  // namespace

int ops(const OpsOptions& options) {
  const onnx::Registry& registry = onnx::registry();
  if (options.json) {
    print(ops_json(registry));
    return kOk;
  }
  const Style style = Style::of_stdout();
  std::size_t op_width = 2, domain_width = 6;
  const auto domain_of = [](const onnx::Registry::Key& key) {
    return key.first.empty() ? std::string("ai.onnx") : key.first;
  };
  for (const auto& [key, entry] : registry.entries()) {
    op_width = std::max(op_width, key.second.size());
    domain_width = std::max(domain_width, domain_of(key).size());
  }
  print(
      style.title(cat(padded("op", op_width), "  ", padded("domain", domain_width), "  versions")) +
      '\n');
  for (const auto& [key, entry] : registry.entries()) {
    std::string versions;
    for (const int version : entry.versions) versions += cat(versions.empty() ? "" : ",", version);
    print(cat(style.op(padded(key.second, op_width)), "  ", padded(domain_of(key), domain_width),
              "  ", versions, '\n'));
  }
  return kOk;
}

}  // namespace strata::cli
