"""Where MuJoCo has the frames of geoms, sites and inertias in their bodies: one that nearly is that of its body, or of
the body's inertia, is taken for it (`geom_sameframe`, ...), and differs by up to 1e-6 from the numbers of the model."""

from typing import Any

from carom import _rotation
from carom._rotation import Floats, pose

_BODY, _INERTIA, _BODY_TURN, _INERTIA_TURN = 1, 2, 3, 4  # of mjtSameFrame


def inertial_frame(mj_model: Any, body: int) -> Floats:
    same = int(mj_model.body_sameframe[body])
    return _nearly_of_body(same, pose(mj_model.body_ipos[body], _rotation.from_wxyz(mj_model.body_iquat[body])))


def geom_frame(mj_model: Any, geom: int) -> Floats:
    own = pose(mj_model.geom_pos[geom], _rotation.from_wxyz(mj_model.geom_quat[geom]))
    return _frame(mj_model, int(mj_model.geom_sameframe[geom]), int(mj_model.geom_bodyid[geom]), own)


def site_frame(mj_model: Any, site: int) -> Floats:
    own = pose(mj_model.site_pos[site], _rotation.from_wxyz(mj_model.site_quat[site]))
    return _frame(mj_model, int(mj_model.site_sameframe[site]), int(mj_model.site_bodyid[site]), own)


def _frame(mj_model: Any, same: int, body: int, own: Floats) -> Floats:
    if same == _INERTIA:
        return inertial_frame(mj_model, body)
    if same == _INERTIA_TURN:
        return pose(own[:3], inertial_frame(mj_model, body)[3:])
    return _nearly_of_body(same, own)


def _nearly_of_body(same: int, own: Floats) -> Floats:
    if same == _BODY:
        return pose()
    return pose(own[:3]) if same == _BODY_TURN else own
