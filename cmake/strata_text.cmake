# Finds RE2, which matches the patterns of RegexFullMatch, and ICU, which changes the case of letters for StringNormalizer.
# Sets STRATA_RE2 and STRATA_ICU to the targets to link, or to nothing.

set(STRATA_RE2 "")
set(STRATA_ICU "")
string(TOLOWER "${STRATA_TEXT}" text)
if(NOT text MATCHES "^(off|no|false|0)$")
  # Newer versions bring a package file, which also names what they need; others are one library.
  find_package(re2 CONFIG QUIET)
  find_path(STRATA_RE2_INCLUDE re2/re2.h)
  find_library(STRATA_RE2_LIBRARY re2)
  mark_as_advanced(re2_DIR STRATA_RE2_INCLUDE STRATA_RE2_LIBRARY)
  if(TARGET re2::re2)
    set(STRATA_RE2 re2::re2)
  elseif(STRATA_RE2_INCLUDE AND STRATA_RE2_LIBRARY)
    add_library(strata_re2 UNKNOWN IMPORTED)
    set_target_properties(strata_re2 PROPERTIES
      IMPORTED_LOCATION "${STRATA_RE2_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${STRATA_RE2_INCLUDE}"
      INTERFACE_LINK_LIBRARIES Threads::Threads)
    set(STRATA_RE2 strata_re2)
  endif()
  find_package(ICU 60 QUIET COMPONENTS uc)
  if(ICU_FOUND)
    set(STRATA_ICU ICU::uc)
  endif()
  if(NOT text STREQUAL "auto")
    foreach(needed "STRATA_RE2;RE2 (libre2-dev)" "STRATA_ICU;ICU (libicu-dev)")
      list(GET needed 0 target)
      list(GET needed 1 library)
      if(NOT ${target})
        message(FATAL_ERROR "STRATA_TEXT is ${STRATA_TEXT}, but ${library} is not installed")
      endif()
    endforeach()
  endif()
endif()
