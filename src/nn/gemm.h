#pragma once

#include <cblas.h>

#include <cstdint>

namespace memsizer::nn {

// A row-major matrix inside a larger array: element (i, j) is data[i * stride + j].
template <typename T>
struct MatrixView {
  T* data;
  int64_t stride;
};

enum class Op { Plain, Transposed };

// c[m, n] = op_a(a) op_b(b) + beta c, with inner size k.
inline void gemm(Op op_a, Op op_b, int64_t m, int64_t n, int64_t k, MatrixView<const float> a,
                 MatrixView<const float> b, float beta, MatrixView<float> c) {
  cblas_sgemm(CblasRowMajor, op_a == Op::Plain ? CblasNoTrans : CblasTrans,
              op_b == Op::Plain ? CblasNoTrans : CblasTrans, static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), 1.0F, a.data, static_cast<int>(a.stride), b.data,
              static_cast<int>(b.stride), beta, c.data, static_cast<int>(c.stride));
}

inline void gemm(Op op_a, Op op_b, int64_t m, int64_t n, int64_t k, MatrixView<const double> a,
                 MatrixView<const double> b, double beta, MatrixView<double> c) {
  cblas_dgemm(CblasRowMajor, op_a == Op::Plain ? CblasNoTrans : CblasTrans,
              op_b == Op::Plain ? CblasNoTrans : CblasTrans, static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), 1.0, a.data, static_cast<int>(a.stride), b.data,
              static_cast<int>(b.stride), beta, c.data, static_cast<int>(c.stride));
}

}  // namespace memsizer::nn
