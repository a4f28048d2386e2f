# What `cmake --install` puts down: libraries and headers for find_package(strata) and pkg-config, the programs, and the
# modules that these load. An installation may be moved: nothing in it names its place.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(STRATA_MODULE_FOLDER ${CMAKE_INSTALL_LIBDIR}/strata)
set(STRATA_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
set(STRATA_PKGCONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Modules are looked for beside the program, and where they are built or installed.
set(CMAKE_BUILD_RPATH "$ORIGIN;$ORIGIN/../cli")
file(RELATIVE_PATH modules /${CMAKE_INSTALL_BINDIR} /${STRATA_MODULE_FOLDER})
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/${modules}")

# The files of libraries as a linker is asked for them by name.
function(strata_by_name out)
  list(TRANSFORM ARGN REPLACE "^.*/" "-l:")
  set(${out} ${ARGN} PARENT_SCOPE)
endfunction()

# A target for files of libraries that the system has: here by their paths, from an installation by their names.
function(strata_system_library target includes)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE "$<BUILD_INTERFACE:${includes}>")
  strata_by_name(names ${ARGN})
  target_link_libraries(${target} INTERFACE "$<BUILD_INTERFACE:${ARGN}>" "$<INSTALL_INTERFACE:${names}>")
endfunction()

# A component of the package: libraries strata_<name>, which others link as strata::<name>, and the public headers of their
# folders. Those that do not exist here are left out.
function(strata_install_component component)
  if(NOT STRATA_INSTALL)
    return()
  endif()
  set(headers "")
  foreach(target ${ARGN})
    if(TARGET ${target})
      string(REGEX REPLACE "^strata_" "" name ${target})
      set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
      install(TARGETS ${target} EXPORT strata-${component} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
      get_target_property(folder ${target} SOURCE_DIR)
      list(APPEND headers ${folder}/include/)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES headers)
  foreach(folder IN LISTS headers)
    if(IS_DIRECTORY ${folder})
      install(DIRECTORY ${folder} TYPE INCLUDE)
    endif()
  endforeach()
  install(EXPORT strata-${component} NAMESPACE strata:: DESTINATION ${STRATA_PACKAGE_FOLDER})
  set_property(GLOBAL APPEND PROPERTY STRATA_COMPONENTS ${component})
endfunction()

function(strata_install_programs)
  if(STRATA_INSTALL)
    install(TARGETS ${ARGN})
  endif()
endfunction()

function(strata_install_module target)
  if(STRATA_INSTALL)
    install(TARGETS ${target} LIBRARY DESTINATION ${STRATA_MODULE_FOLDER})
  endif()
endfunction()

# The package's files, once all components are known.
function(strata_install_package)
  if(NOT STRATA_INSTALL)
    return()
  endif()
  get_property(STRATA_COMPONENTS GLOBAL PROPERTY STRATA_COMPONENTS)
  set(made ${PROJECT_BINARY_DIR}/package)
  configure_package_config_file(cmake/strata-config.cmake.in ${made}/strata-config.cmake
    INSTALL_DESTINATION ${STRATA_PACKAGE_FOLDER} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${made}/strata-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${made}/strata-config.cmake ${made}/strata-config-version.cmake
    DESTINATION ${STRATA_PACKAGE_FOLDER})
  file(RELATIVE_PATH STRATA_PREFIX /${STRATA_PKGCONFIG_FOLDER} /)
  list(JOIN STRATA_TAR_FLAGS " " STRATA_TAR_FLAGS)
  foreach(component opl onnx)
    if(component IN_LIST STRATA_COMPONENTS)
      configure_file(cmake/strata-${component}.pc.in ${made}/strata-${component}.pc @ONLY)
      install(FILES ${made}/strata-${component}.pc DESTINATION ${STRATA_PKGCONFIG_FOLDER})
    endif()
  endforeach()
  install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
endfunction()
