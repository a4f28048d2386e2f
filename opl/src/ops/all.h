#pragma once

namespace strata::opl {

class Registry;

// One sorted line a family; each is defined in the source of its name.
void register_sources(Registry& registry);

/// All of them.
void register_all(Registry& registry);

}  // namespace strata::opl
