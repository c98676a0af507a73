// Vectors, rotations, rigid transforms and spatial quantities; header-only, for CPU and CUDA.
#pragma once

#include "carom/math/mat33.h"
#include "carom/math/quat.h"
#include "carom/math/scalar.h"
#include "carom/math/spatial.h"
#include "carom/math/transform.h"
#include "carom/math/trig.h"
#include "carom/math/vec.h"
