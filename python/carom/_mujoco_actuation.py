"""Tendons and actuators of a MuJoCo model, for from_mujoco()."""

from typing import Any, NamedTuple

import numpy as np

from carom._mujoco_frames import geom_frame, site_frame

_UNLIMITED = 1e10  # as the builder has it


def limit(range_of: Any, margin: Any, solref: Any, solimp: Any, i: int) -> dict[str, Any]:
    return {
        "limit_lower": float(range_of[i, 0]),
        "limit_upper": float(range_of[i, 1]),
        "limit_margin": float(margin[i]),
        "limit_solref": solref[i],
        "limit_solimp": solimp[i],
    }


class Rotors(NamedTuple):
    """What the rotors of actuators add to a joint or tendon: their own, times the square of the gear."""

    armature: float
    damping: float
    damping_poly: Any


def rotors(mujoco: Any, model: Any, target: int, *transmissions: str) -> Rotors:
    kinds = [int(mujoco.mjtTrn.__members__["mjTRN_" + name]) for name in transmissions]
    of_target = np.isin(model.actuator_trntype, kinds) & (model.actuator_trnid[:, 0] == target)
    actuators = np.flatnonzero(of_target)
    squares = model.actuator_gear[model.actuator_outadr[actuators], 0] ** 2
    return Rotors(
        float(squares @ model.actuator_armature[actuators]),
        float(squares @ model.actuator_damping[actuators]),
        squares @ model.actuator_dampingpoly[actuators],
    )


class Actuation:
    """Adds them to the builder of an import."""

    def __init__(self, importer: Any) -> None:
        self.importer, self.builder, self.carom = importer, importer.builder, importer.carom
        self.mujoco, self.model = importer.mujoco, importer.model

    # -- Tendons

    def add_tendons(self) -> None:
        for tendon in range(self.model.ntendon):
            first, count = int(self.model.tendon_adr[tendon]), int(self.model.tendon_num[tendon])
            wraps = range(first, first + count)
            numbers = {**self.tendon_numbers(tendon), "key": self.importer.key("TENDON", tendon)}
            if self.model.wrap_type[first] == int(self.mujoco.mjtWrap.mjWRAP_JOINT):
                self.builder.add_tendon_fixed([self.tendon_joint(wrap) for wrap in wraps], **numbers)
            else:
                self.builder.add_tendon_spatial([self.tendon_point(wrap) for wrap in wraps], **numbers)

    def tendon_numbers(self, tendon: int) -> dict[str, Any]:
        model, has = self.model, self.importer.has
        springs, dampers = float(has("SPRING")), float(has("DAMPER"))
        motors = rotors(self.mujoco, model, tendon, "TENDON")
        relaxed = [float(length) for length in model.tendon_lengthspring[tendon]]
        numbers: dict[str, Any] = {
            "stiffness": springs * float(model.tendon_stiffness[tendon]),
            "stiffness_poly": springs * model.tendon_stiffnesspoly[tendon],
            "damping": dampers * (float(model.tendon_damping[tendon]) + motors.damping),
            "damping_poly": dampers * (model.tendon_dampingpoly[tendon] + motors.damping_poly),
            "armature": float(model.tendon_armature[tendon]) + motors.armature,
            "friction": float(model.tendon_frictionloss[tendon]) if has("FRICTIONLOSS") else 0.0,
            "friction_solref": model.tendon_solref_fri[tendon],
            "friction_solimp": model.tendon_solimp_fri[tendon],
            "spring_lower": relaxed[0],
            "spring_upper": relaxed[1],
            "spring_yield": self.importer.spring_yield(model.tendon_springyield[tendon]),
        }
        if model.tendon_actfrclimited[tendon]:
            numbers.update(zip(("effort_lower", "effort_upper"), map(float, model.tendon_actfrcrange[tendon])))
        if model.tendon_limited[tendon] and has("LIMIT"):
            solref, solimp = model.tendon_solref_lim, model.tendon_solimp_lim
            numbers.update(limit(model.tendon_range, model.tendon_margin, solref, solimp, tendon))
        return numbers

    def tendon_joint(self, wrap: int) -> tuple[int, float, int]:
        joint, axis = self.importer.axis_of[int(self.model.wrap_objid[wrap])]
        return joint, float(self.model.wrap_prm[wrap]), axis

    def tendon_point(self, wrap: int) -> Any:
        model, kinds, i = self.model, self.mujoco.mjtWrap, int(self.model.wrap_objid[wrap])
        kind, number = model.wrap_type[wrap], float(model.wrap_prm[wrap])
        if kind == int(kinds.mjWRAP_PULLEY):
            return self.carom.TendonPoint(type="pulley", divisor=number)
        if kind == int(kinds.mjWRAP_SITE):
            body, xform = self.site(i)
            return self.carom.TendonPoint(body, xform)
        side = int(round(number))
        return self.carom.TendonPoint(
            int(model.geom_bodyid[i]) - 1,
            geom_frame(model, i),
            type="sphere" if kind == int(kinds.mjWRAP_SPHERE) else "cylinder",
            radius=float(model.geom_size[i, 0]),
            side=None if side < 0 else (int(model.site_bodyid[side]) - 1, site_frame(model, side)[:3]),
        )

    def site(self, i: int) -> tuple[int, Any]:
        return int(self.model.site_bodyid[i]) - 1, site_frame(self.model, i)

    # -- Actuators

    def add_actuators(self) -> None:
        for actuator in range(self.model.nactuator):
            self.add_actuator(actuator)

    def add_actuator(self, i: int) -> None:
        model, kinds = self.model, self.mujoco.mjtTrn
        kind = kinds(int(model.actuator_trntype[i]))
        gear = [float(number) for number in model.actuator_gear[model.actuator_outadr[i]]]
        target, second = (int(number) for number in model.actuator_trnid[i])
        numbers = {**self.bounds(i), **self.delay(i), "key": self.importer.key("ACTUATOR", i)}
        if self.is_orientation(i):
            self.add_orientation(i, target, second, numbers)
            return
        if controller := self.controller(i):
            numbers.update(controller)
        else:
            numbers.update(self.law(i) if self.is_on(i) else {"gain": 0.0})
        # One that is switched off has its inputs and states all the same; they stand still without a gear.
        scale = 0.0 if controller and not self.is_on(i) else 1.0
        if kind == kinds.mjTRN_TENDON:
            self.builder.add_actuator_tendon(target, gear=scale * gear[0], **numbers)
        elif kind == kinds.mjTRN_SITE:
            against = None if second < 0 else self.site(second)
            self.builder.add_actuator_site(self.site(target), gear, against, gear=scale, **numbers)
        elif kind == kinds.mjTRN_SLIDERCRANK:
            rod, sites = float(model.actuator_cranklength[i]), (self.site(target), self.site(second))
            self.builder.add_actuator_slider_crank(*sites, rod, gear=scale * gear[0], **numbers)
        elif kind == kinds.mjTRN_BODY:
            self.builder.add_actuator_body(target - 1, gear=scale, **numbers)
        elif target in self.importer.axis_of:
            joint, axis = self.importer.axis_of[target]
            self.builder.add_actuator(joint, axis=axis, gear=scale * gear[0], **numbers)
        else:
            in_parent = kind == kinds.mjTRN_JOINTINPARENT
            free = model.jnt_type[target] == int(self.mujoco.mjtJoint.mjJNT_FREE)
            wrench = gear if free else [0.0] * 3 + gear[:3]
            joint = self.importer.turning_joint[target]
            self.builder.add_actuator(joint, wrench=wrench, gear=scale, in_parent=in_parent, **numbers)

    def is_orientation(self, i: int) -> bool:
        return int(self.model.actuator_gaintype[i]) == int(self.mujoco.mjtGain.mjGAIN_SO3)

    def add_orientation(self, i: int, target: int, reference: int, numbers: dict[str, Any]) -> None:
        model, gain, bias = self.model, self.model.actuator_gainprm[i], self.model.actuator_biasprm[i]
        numbers.pop("force_lower", None)  # the range bounds the size of the moment
        numbers.update(law="orientation", act_early=bool(model.actuator_actearly[i]))
        numbers.update(gain=float(gain[0]), bias=(float(bias[0]), 0.0, float(bias[2])))
        if int(model.actuator_ctrlspec[i]) == 2:
            numbers["inputs"] = "quaternion"
        if int(model.actuator_dyntype[i]) == int(self.mujoco.mjtDyn.mjDYN_INTEGRATOR):
            numbers["dynamics"] = "integrator"
        if not self.is_on(i):
            numbers.update(gain=0.0, bias=(0.0, 0.0, 0.0))
            if "inputs" not in numbers:
                numbers.update(ctrl_lower=0.0, ctrl_upper=0.0)  # the activation stays
        if reference >= 0:
            self.builder.add_actuator_site(self.site(target), [0.0] * 6, self.site(reference), **numbers)
        else:
            self.builder.add_actuator(self.importer.turning_joint[target], **numbers)

    def delay(self, i: int) -> dict[str, Any]:
        delay, (samples, interpolation) = float(self.model.actuator_delay[i]), self.model.actuator_history[i]
        if delay == 0 or samples == 0:  # MuJoCo keeps the controls, and nobody reads them
            return {}
        names = ("hold", "linear", "cubic")
        return {"delay": delay, "delay_samples": int(samples), "interpolation": names[int(interpolation)]}

    def is_on(self, i: int) -> bool:
        group = int(self.model.actuator_group[i])
        switched_off = 0 <= group < 31 and int(self.model.opt.disableactuator) >> group & 1
        return self.importer.has("ACTUATION") and not switched_off

    def bounds(self, i: int) -> dict[str, float]:
        model = self.model
        limits: dict[str, float] = {}
        first = model.actuator_ctrladr[i]
        if not self.has_controller(i) and self.importer.has("CLAMPCTRL") and model.actuator_ctrllimited[first]:
            limits.update(zip(("ctrl_lower", "ctrl_upper"), map(float, model.actuator_ctrlrange[first])))
        if model.actuator_forcelimited[i]:
            limits.update(zip(("force_lower", "force_upper"), map(float, model.actuator_forcerange[i])))
        if model.actuator_actlimited[i]:
            limits.update(zip(("act_lower", "act_upper"), map(float, model.actuator_actrange[i])))
        return limits

    def law(self, i: int) -> dict[str, Any]:
        """How force follows from ctrl."""
        model, mujoco = self.model, self.mujoco
        gain, bias = model.actuator_gainprm[i], model.actuator_biasprm[i]
        dynamics = mujoco.mjtDyn(int(model.actuator_dyntype[i]))
        numbers: dict[str, Any] = {
            "dynamics": dynamics.name.split("_", 1)[1].lower(),
            "time": model.actuator_dynprm[i, :3],
            "act_early": bool(model.actuator_actearly[i]),
        }
        if dynamics == mujoco.mjtDyn.mjDYN_NONE or dynamics == mujoco.mjtDyn.mjDYN_INTEGRATOR:
            del numbers["time"]
        if model.actuator_gaintype[i] == int(mujoco.mjtGain.mjGAIN_MUSCLE):
            return {**numbers, "law": "muscle", "muscle": self.muscle(i)}
        numbers["gain"] = float(gain[0])
        if model.actuator_gaintype[i] == int(mujoco.mjtGain.mjGAIN_AFFINE):
            numbers["gain_slope"] = gain[1:3]
        if model.actuator_biastype[i] == int(mujoco.mjtBias.mjBIAS_AFFINE):
            numbers["bias"] = bias[:3]
        return numbers

    def has_controller(self, i: int) -> bool:
        gains = self.mujoco.mjtGain
        return int(self.model.actuator_gaintype[i]) in (int(gains.mjGAIN_PID), int(gains.mjGAIN_DCMOTOR))

    def controller(self, i: int) -> dict[str, Any]:
        """Of pid controllers and DC motors; nothing of the others."""
        if not self.has_controller(i):
            return {}
        model, carom = self.model, self.carom
        gain, bias, dynamics = model.actuator_gainprm[i], model.actuator_biasprm[i], model.actuator_dynprm[i]
        lower, upper = np.full(4, -_UNLIMITED), np.full(4, _UNLIMITED)
        given = [k for k in range(4) if int(model.actuator_ctrlspec[i]) >> k & 1]
        for place, ctrl in enumerate(range(model.actuator_ctrladr[i], model.actuator_ctrladr[i] + len(given))):
            if not self.is_on(i):
                lower[given[place]] = upper[given[place]] = 0.0
            elif self.importer.has("CLAMPCTRL") and model.actuator_ctrllimited[ctrl]:
                lower[given[place]], upper[given[place]] = model.actuator_ctrlrange[ctrl]
        bounds = {"input_lower": lower, "input_upper": upper}
        inputs = " ".join(("position", "velocity", "force", "voltage")[k] for k in given)
        if int(model.actuator_gaintype[i]) == int(self.mujoco.mjtGain.mjGAIN_PID):
            gains = {"kp": -bias[1], "kv": -bias[2], "ki": gain[0]}
            most = {"integral_max": dynamics[0], "slew_max": dynamics[1]}
            return {"law": "pid", "inputs": inputs, "controller": carom.ControllerConfig(**gains, **most, **bounds)}
        gains = {"kp": gain[4], "kv": gain[6], "ki": gain[5]}
        most = {"integral_max": dynamics[8], "slew_max": dynamics[7]}
        return {
            "law": "dcmotor",
            "inputs": inputs,
            "controller": carom.ControllerConfig(**gains, **most, **bounds),
            "motor": self.motor(gain, bias, dynamics),
        }

    def motor(self, gain: Any, bias: Any, dynamics: Any) -> Any:
        return self.carom.DcMotorConfig(
            resistance=gain[0],
            constant=gain[1],
            voltage_max=gain[7],
            current_time=dynamics[0],
            current_rate_max=dynamics[1],
            heat_resistance=dynamics[2],
            heat_capacity=dynamics[3] or 1.0,
            heat_coefficient=gain[2],
            heat_reference=gain[3],
            heat_ambient=dynamics[4],
            cogging=bias[0],
            cogging_poles=bias[1],
            cogging_phase=bias[2],
            bristle_stiffness=dynamics[5],
            bristle_damping=dynamics[6],
            bristle_coulomb=bias[3],
            bristle_static=bias[4],
            bristle_speed=bias[5] or 1.0,
        )

    def muscle(self, i: int) -> Any:
        low, high, force, scale, *curves = self.model.actuator_gainprm[i, :9]
        out = self.model.actuator_outadr[i]
        peak = force if force >= 0 else scale / max(float(self.model.actuator_acc0[out]), 1e-15)
        return np.array([low, high, *self.model.actuator_lengthrange[out], peak, *curves])
