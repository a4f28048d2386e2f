#include "op_kinds.h"

#include <algorithm>

#include "strata/core/error.h"

namespace strata::onnx {
namespace {

int version_in(const Registry::Entry& entry, int opset) {
  int version = 0;
  for (const int since : entry.versions)
    if (since <= opset) version = std::max(version, since);
  return version;
}

std::string origin_text(std::string_view op_type, std::string_view domain, int opset) {
  const std::string text = cat("ONNX ", domain, domain.empty() ? "" : ".", op_type);
  return opset == 0 ? text : cat(text, ", opset ", opset);
}

}  // namespace

const Registry::Entry* OpKinds::entry_of(std::string_view op_type, std::string_view domain) const {
  const Registry::Entry* own = own_ ? own_->find(domain, op_type) : nullptr;
  return own ? own : registry().find(domain, op_type);
}

const OpKind& OpKinds::of(std::string_view op_type, std::string_view domain, int opset) {
  const std::size_t hash = name_hash(op_type);
  const auto known = index_.find(hash, [&](std::uint32_t i) {
    const OpKind& kind = *kinds_[i];
    return kind.op_type == op_type && kind.domain == domain && kind.opset == opset;
  });
  if (known) return *kinds_[*known];
  index_.insert(hash, static_cast<std::uint32_t>(kinds_.size()));
  const Registry::Entry* entry = entry_of(op_type, domain);
  std::string type(op_type);
  auto origin =
      std::make_shared<const hir::Origin>(hir::Origin{type, origin_text(op_type, domain, opset)});
  kinds_.push_back(std::make_unique<const OpKind>(
      OpKind{std::move(type), std::string(domain), opset, entry,
             entry ? version_in(*entry, opset) : 0, std::move(origin)}));
  return *kinds_.back();
}

}  // namespace strata::onnx
