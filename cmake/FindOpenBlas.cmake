# OpenBLAS, in its OpenMP build where there is one: LibTorch runs on OpenMP too, and two thread pools that spin
# against each other cost a factor of two (docs/performance.md).
find_path(OpenBlas_INCLUDE_DIR cblas.h
          HINTS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp
                /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} REQUIRED)
find_library(OpenBlas_LIBRARY openblas REQUIRED)
add_library(OpenBlas::OpenBlas UNKNOWN IMPORTED)
set_target_properties(OpenBlas::OpenBlas PROPERTIES IMPORTED_LOCATION ${OpenBlas_LIBRARY}
                                                    INTERFACE_INCLUDE_DIRECTORIES ${OpenBlas_INCLUDE_DIR})
