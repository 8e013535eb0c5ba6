#pragma once

namespace memsizer {

// OpenBLAS chooses its kernels when a program is loaded, by a list of processors. One that is younger than
// the list gets the kernels of 2004, which are several times slower. Where the processor's instructions say
// more, this names the kernels in the environment for the programs that this one starts; a choice of the
// user's stays. True if it set one.
bool choose_blas_kernels();

// Starts this very program again, once, if it was loaded without that choice. Call it first thing in the main
// of a program that memsizer does not start.
void restart_with_blas_kernels(char** arguments);

}  // namespace memsizer
