// Own elementary functions, for plain numbers and lanes: sin cos sincos tan, atan2 atan asin acos, exp log pow.
//
// They are made of + - * /, fma, sqrt, integer operations and selects alone, so they give the same bits in every lane
// width, with every compiler, on every CPU and on CUDA. The error stays below 1 unit in the last place.
// Special values are those of C99, annex F; not-a-number is always the same quiet one.
//
// Polynomial coefficients are minimax fits (Remez exchange on the relative error of the function, in 60 digits, then
// rounded); each file states the interval and the error of its fits.
#pragma once

#include "carom/math/trig_atan.h"
#include "carom/math/trig_exp.h"
#include "carom/math/trig_log.h"
#include "carom/math/trig_sincos.h"
