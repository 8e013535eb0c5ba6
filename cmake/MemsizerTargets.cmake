# What every target of ours shares: the language level, warnings as errors, sanitizers.
add_library(memsizer_options INTERFACE)
target_compile_features(memsizer_options INTERFACE cxx_std_20)
target_compile_options(memsizer_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                                  -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports overlaps and overflows inside std::string concatenation that are not there (GCC bug 105651).
  target_compile_options(memsizer_options INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(MEMSIZER_SANITIZE)
  target_compile_options(memsizer_options INTERFACE -fsanitize=${MEMSIZER_SANITIZE} -fno-omit-frame-pointer
                                                    -fno-sanitize-recover=all)
  target_link_options(memsizer_options INTERFACE -fsanitize=${MEMSIZER_SANITIZE})
endif()

# memsizer_library(NAME SOURCES ... LINKS ...): a static library of the house, included from src/.
function(memsizer_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE memsizer_options)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# memsizer_program(NAME SOURCES ... LINKS ...): a program in bin/.
function(memsizer_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} memsizer_options)
endfunction()

# memsizer_test(PART.NAME SOURCES ... LINKS ... [LABELS ...]): one test program, one ctest entry. The target tests_PART
# builds all programs of a part.
function(memsizer_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  string(REPLACE "." "_" target "test_${name}")
  memsizer_program(${target} SOURCES ${ARG_SOURCES} LINKS ${ARG_LINKS} GTest::gtest)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  string(REGEX REPLACE "[.].*" "" part ${name})
  if(NOT TARGET tests_${part})
    add_custom_target(tests_${part})
  endif()
  add_dependencies(tests_${part} ${target})
  add_test(NAME ${name} COMMAND ${target})
  # Threads that wait for each other spin shortly, then sleep: other tests run beside them on the same cores.
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                                          ENVIRONMENT GOMP_SPINCOUNT=20000)
endfunction()

# memsizer_reuse_torch_headers(TARGET ...): take LibTorch's headers precompiled, as memsizer_nn built them. A precompiled
# header serves only units compiled with the same flags, so programs are compiled -fPIC like the library.
function(memsizer_reuse_torch_headers)
  foreach(target ${ARGN})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
    target_precompile_headers(${target} REUSE_FROM memsizer_nn)
  endforeach()
endfunction()
