# Compiles through ccache where it is installed: a second checkout, or a build after `make clean`, takes minutes instead of half an
# hour. Paths inside the checkout count as relative, so that checkouts share what is the same.
option(MEMSIZER_CCACHE "Compile through ccache where it is installed" ON)
find_program(MEMSIZER_CCACHE_PROGRAM ccache)
mark_as_advanced(MEMSIZER_CCACHE_PROGRAM)
if(MEMSIZER_CCACHE AND MEMSIZER_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${MEMSIZER_CCACHE_PROGRAM})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ccache needs it to look into precompiled headers.
    string(APPEND CMAKE_CXX_FLAGS " -fpch-preprocess")
  endif()
endif()
