#ifdef CAROM_SUNDIALS

#include "events/block_solver.h"

#include <nvector/nvector_serial.h>

#include <cmath>
#include <utility>

namespace carom::inline CAROM_PRECISION {

namespace {

struct Block {
  std::vector<int> rows;
  std::vector<Real> entry;  // row by row
  std::vector<int> pivot;

  int size() const { return static_cast<int>(rows.size()); }
  Real& at(int r, int c) { return entry[static_cast<std::size_t>(r) * rows.size() + c]; }

  bool factor() {
    const int n = size();
    pivot.resize(rows.size());
    for (int k = 0; k < n; ++k) {
      int p = k;
      for (int r = k + 1; r < n; ++r)
        if (std::abs(at(r, k)) > std::abs(at(p, k))) p = r;
      pivot[k] = p;
      if (at(p, k) == 0) return false;
      if (p != k) std::swap_ranges(&at(k, 0), &at(k, 0) + n, &at(p, 0));
      const Real inverse = 1 / at(k, k);
      for (int r = k + 1; r < n; ++r) {
        const Real factor = at(r, k) *= inverse;
        if (factor == 0) continue;
        for (int c = k + 1; c < n; ++c) at(r, c) -= factor * at(k, c);
      }
    }
    return true;
  }
  void solve(Real* all) {
    const int n = size();
    std::vector<Real> x(rows.size());
    for (int i = 0; i < n; ++i) x[i] = all[rows[i]];
    for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot[k]]);
    for (int k = 0; k < n; ++k)
      for (int r = k + 1; r < n; ++r) x[r] -= at(r, k) * x[k];
    for (int k = n - 1; k >= 0; --k) {
      for (int c = k + 1; c < n; ++c) x[k] -= at(k, c) * x[c];
      x[k] /= at(k, k);
    }
    for (int i = 0; i < n; ++i) all[rows[i]] = x[i];
  }
};

struct Blocks {
  const DiagonalBlocks& pattern;
  std::vector<Block> blocks;
};

Blocks& blocks_of(SUNMatrix matrix) { return *static_cast<Blocks*>(matrix->content); }

int set_zero(SUNMatrix matrix) {
  Blocks& b = blocks_of(matrix);
  b.blocks.clear();
  for (const std::vector<int>& rows : b.pattern.rows)
    b.blocks.push_back({rows, std::vector<Real>(rows.size() * rows.size(), 0), {}});
  return 0;
}
int copy(SUNMatrix from, SUNMatrix to) {
  blocks_of(to).blocks = blocks_of(from).blocks;
  return 0;
}
int scale_and_add_identity(Real scale, SUNMatrix matrix) {
  for (Block& block : blocks_of(matrix).blocks) {
    for (Real& value : block.entry) value *= scale;
    for (int i = 0; i < block.size(); ++i) block.at(i, i) += 1;
  }
  return 0;
}
void destroy(SUNMatrix matrix) {
  delete static_cast<Blocks*>(matrix->content);
  SUNMatFreeEmpty(matrix);
}
SUNMatrix clone(SUNMatrix matrix) { return make_block_matrix(blocks_of(matrix).pattern, matrix->sunctx); }

}  // namespace

SUNMatrix make_block_matrix(const DiagonalBlocks& pattern, SUNContext context) {
  SUNMatrix matrix = SUNMatNewEmpty(context);
  matrix->content = new Blocks{pattern, {}};
  matrix->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix->ops->clone = clone;
  matrix->ops->destroy = destroy;
  matrix->ops->zero = set_zero;
  matrix->ops->copy = copy;
  matrix->ops->scaleaddi = scale_and_add_identity;
  return matrix;
}

Real& block_entry(SUNMatrix matrix, std::size_t block, int row, int column) {
  return blocks_of(matrix).blocks[block].at(row, column);
}

SUNLinearSolver make_block_solver(SUNContext context) {
  SUNLinearSolver solver = SUNLinSolNewEmpty(context);
  solver->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  solver->ops->initialize = [](SUNLinearSolver) { return SUNLS_SUCCESS; };
  solver->ops->setup = [](SUNLinearSolver, SUNMatrix matrix) -> int {
    for (Block& block : blocks_of(matrix).blocks)
      if (!block.factor()) return SUNLS_LUFACT_FAIL;
    return SUNLS_SUCCESS;
  };
  solver->ops->solve = [](SUNLinearSolver, SUNMatrix matrix, N_Vector x, N_Vector b, Real) -> int {
    N_VScale(1, b, x);
    for (Block& block : blocks_of(matrix).blocks) block.solve(N_VGetArrayPointer(x));
    return SUNLS_SUCCESS;
  };
  solver->ops->free = [](SUNLinearSolver s) -> int {
    SUNLinSolFreeEmpty(s);
    return SUNLS_SUCCESS;
  };
  return solver;
}

}  // namespace carom::inline CAROM_PRECISION

#endif
