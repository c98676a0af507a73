// A matrix of square blocks along the diagonal, and the solver that CVODE solves with it: what does not touch is solved
// apart. A system of many bodies then costs what its bodies cost, not the cube of their number.
#pragma once

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <algorithm>
#include <vector>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

// Rows of each block, ascending.
struct DiagonalBlocks {
  std::vector<std::vector<int>> rows;
  int largest() const {
    std::size_t most = 0;
    for (const std::vector<int>& block : rows) most = std::max(most, block.size());
    return static_cast<int>(most);
  }
};

// The pattern is read whenever the matrix is set to zero; it must outlive the matrix.
SUNMatrix make_block_matrix(const DiagonalBlocks& pattern, SUNContext context);
Real& block_entry(SUNMatrix matrix, std::size_t block, int row, int column);
// Gaussian elimination with pivots, block by block.
SUNLinearSolver make_block_solver(SUNContext context);

}  // namespace carom::inline CAROM_PRECISION
