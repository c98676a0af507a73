// All kernels of this module.
#pragma once

#include "dynamics/eval_mass_matrix.kernel.h"
#include "dynamics/forward_dynamics.kernel.h"
#include "dynamics/inverse_dynamics.kernel.h"
#include "dynamics/jacobian.kernel.h"
#include "dynamics/pack_tree.kernel.h"
#include "dynamics/particles/bending.kernel.h"
#include "dynamics/particles/move.kernel.h"
#include "dynamics/particles/push_bodies.kernel.h"
#include "dynamics/particles/spring.kernel.h"
#include "dynamics/particles/tetrahedron.kernel.h"
#include "dynamics/particles/triangle.kernel.h"
#include "dynamics/sleep.kernel.h"
#include "dynamics/smooth_motion.kernel.h"
