#include "names.h"

#include "strata/core/text.h"

namespace strata::opl {

std::string TakenNames::claim(std::string_view wanted) {
  std::string name(wanted);
  if (taken_.insert(name).second) return name;
  std::size_t& tried = tried_[name];
  while (!taken_.insert(name = cat(wanted, '_', ++tried)).second) {
  }
  return name;
}

}  // namespace strata::opl
