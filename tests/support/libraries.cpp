#include "support/libraries.h"

#ifdef STRATA_HAS_IMAGES
#include "strata/images/images.h"
#endif
#ifdef STRATA_HAS_TEXT
#include "strata/text/text.h"
#endif

namespace strata::tests {

void provide_libraries() {
#ifdef STRATA_HAS_IMAGES
  provide_images(leptonica_images);
#endif
#ifdef STRATA_HAS_TEXT
  provide_text(re2_and_icu_text);
#endif
}

}  // namespace strata::tests
