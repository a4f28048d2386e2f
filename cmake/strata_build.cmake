# What every target of the project shares: language level, warnings, sanitizers, caches.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Each function in a section of its own: programs are linked of those they use.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -ffunction-sections -fdata-sections")
set(CMAKE_EXE_LINKER_FLAGS_RELEASE "-Wl,--gc-sections")

find_program(STRATA_CCACHE ccache)
if(STRATA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # As ccache asks for where headers are precompiled. It compares headers themselves, not what a preprocessor leaves of
  # them: #pragma once of a precompiled header does not know a header again whose comments have changed.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 ${STRATA_CCACHE})
endif()

# Compiled for size: without what GCC does at -Oz too and makes code larger by.
set(STRATA_FOR_SIZE -Oz)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND STRATA_FOR_SIZE -fno-move-loop-invariants -fno-tree-ch -fno-schedule-insns2)
endif()

add_library(strata_flags INTERFACE)
target_compile_options(strata_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # wrong on std::variant in g++ 12
if(STRATA_WERROR)
  target_compile_options(strata_flags INTERFACE -Werror)
endif()
if(STRATA_SANITIZE)
  target_compile_options(strata_flags INTERFACE -fsanitize=${STRATA_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  # Sanitizers load modules on the program's behalf, and the linker's older tag lets them use its paths.
  target_link_options(strata_flags INTERFACE -fsanitize=${STRATA_SANITIZE} LINKER:--disable-new-dtags)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/strata_linker.cmake)

if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(STRATA_CACHED_HEADERS $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # ccache asks for it
endif()

# Precompiles what nearly all sources of a target include: these headers, as #include names them, and the standard ones
# they build on. CMake's CMAKE_DISABLE_PRECOMPILE_HEADERS turns it off.
function(strata_precompile target)
  list(TRANSFORM ARGN REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE headers)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <functional> <memory> <span> <string> <variant> <vector> ${headers})
  target_compile_options(${target} PRIVATE ${STRATA_CACHED_HEADERS})
endfunction()

# Takes those of another target, which is compiled alike.
function(strata_reuse_precompiled target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  target_compile_options(${target} PRIVATE ${STRATA_CACHED_HEADERS})
endfunction()

# A layer: library strata_<name>, alias strata::<name>, headers in include/, private ones in src/.
function(strata_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_library(strata_${name} STATIC ${ARG_SOURCES})
  add_library(strata::${name} ALIAS strata_${name})
  target_include_directories(strata_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> PRIVATE src)
  target_compile_features(strata_${name} PUBLIC cxx_std_20)
  target_link_libraries(strata_${name} PRIVATE $<BUILD_INTERFACE:strata_flags>)
  set_target_properties(strata_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# The layer strata_<name> as a module that the command loads when it first needs it: strata_<name>.so, beside the command.
function(strata_module name)
  if(NOT STRATA_ONNX)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_library(strata_${name}_module MODULE ${ARG_SOURCES})
  target_link_libraries(strata_${name}_module PRIVATE strata_${name} strata_flags)
  # It shows the program one function, and holds what that one needs.
  target_link_options(strata_${name}_module PRIVATE LINKER:--exclude-libs,ALL LINKER:--gc-sections)
  set_target_properties(strata_${name}_module PROPERTIES
    PREFIX "" OUTPUT_NAME strata_${name} LIBRARY_OUTPUT_DIRECTORY ${STRATA_COMMAND_FOLDER})
  set_property(GLOBAL APPEND PROPERTY STRATA_MODULES strata_${name}_module)
  strata_install_module(strata_${name}_module)
endfunction()
set(STRATA_COMMAND_FOLDER ${PROJECT_BINARY_DIR}/cli)
