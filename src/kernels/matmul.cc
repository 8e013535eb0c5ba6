#include "kernels/matmul.h"

#include "kernels/scalar.h"

namespace memsizer::kernels {

void matmul(Team& /*team*/, const PackedMatrix& weight, ConstRows x, int64_t count, Rows out,
            const Epilogue& epilogue) {
  scalar::matmul(weight, x, count, out, epilogue);
}

}  // namespace memsizer::kernels
