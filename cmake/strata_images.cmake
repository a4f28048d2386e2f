# Finds leptonica, which reads all image formats that ImageDecoder names. Sets STRATA_LEPTONICA to the target to link, or
# to nothing.

set(STRATA_LEPTONICA "")
string(TOLOWER "${STRATA_IMAGES}" images)
if(NOT images MATCHES "^(off|no|false|0)$")
  find_path(STRATA_LEPTONICA_INCLUDE leptonica/allheaders.h)
  find_library(STRATA_LEPTONICA_LIBRARY NAMES lept leptonica)
  mark_as_advanced(STRATA_LEPTONICA_INCLUDE STRATA_LEPTONICA_LIBRARY)
  if(STRATA_LEPTONICA_INCLUDE AND STRATA_LEPTONICA_LIBRARY)
    strata_system_library(strata_leptonica ${STRATA_LEPTONICA_INCLUDE} ${STRATA_LEPTONICA_LIBRARY})
    set(STRATA_LEPTONICA strata_leptonica)
  elseif(NOT images STREQUAL "auto")
    message(FATAL_ERROR "STRATA_IMAGES is ${STRATA_IMAGES}, but leptonica is not installed (libleptonica-dev)")
  endif()
endif()
