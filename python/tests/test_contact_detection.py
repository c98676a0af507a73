"""Contact detection with hysteresis, as the dictionaries look in Python."""

import pytest

import carom
import carom.f64


def bouncing_ball(height: float):
    builder = carom.f64.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=(0, 0, height + 0.5, 0, 0, 0, 1))
    builder.add_shape_sphere(body, radius=0.5, key="ball")
    return builder.finalize()


def put(state, height: float, speed: float = 0):
    state.body_q.numpy()[0, 2] = height + 0.5
    state.body_qd.numpy()[0, 2] = speed


def test_a_ball_touches_and_leaves_the_ground():
    model = bouncing_ball(0.1)
    state = model.state()
    detection = carom.f64.ContactDetection(model)
    detection.initialize(state)
    pair = carom.f64.pair_id(model.find_shape("ball"), 0)
    assert list(carom.f64.shapes_of_pair(pair)) == [0, 1]
    assert detection.contact_dict == {} and list(detection.no_contact_dict) == [pair]
    (key, distance), = detection.distance_dict.items()
    assert key.pair_id == pair and key == carom.f64.PairKey(distance, pair)
    assert distance == pytest.approx(0.1 + 2e-8, rel=0, abs=1e-14)

    put(state, -1e-6, speed=-3)
    assert detection.find_zero_crossings(state)[0] < 0
    detection.find_at_event(state)
    contact = detection.contact_dict[pair]
    assert contact.contact and contact.distance_org == pytest.approx(-1e-6, abs=1e-14)
    assert contact.distance_with_hysteresis == contact.distance_org
    assert contact.normal == pytest.approx((0, 0, 1)) and contact.material.distance_rate == pytest.approx(-3)
    assert detection.last_contact_dict[pair].distance_rate == contact.material.distance_rate

    put(state, 1e-6, speed=2)
    assert detection.find_zero_crossings(state)[0] > 0
    assert pair in detection.contact_dict  # until the event
    detection.find_at_event(state)
    assert detection.contact_dict == {} and detection.last_contact_dict == {}


def test_keys_sort_by_distance_then_pair():
    key = carom.f64.PairKey
    assert sorted([key(2.0, 1), key(1.0, 9), key(1.0, 3)]) == [key(1.0, 3), key(1.0, 9), key(2.0, 1)]
    assert len({key(1.0, 3), key(1.0, 3)}) == 1


def test_single_precision_has_none():
    assert not hasattr(carom, "ContactDetection")


def test_refusals_say_what():
    model = bouncing_ball(0.1)
    for arguments, words in (({"nz_max": 0}, "nz_max must be positive"), ({"scheme": "three"}, "no scheme 'three'"),
                             ({"world": 3}, "world 3 does not exist")):
        with pytest.raises(carom.Error, match=words):
            carom.f64.ContactDetection(model, **arguments)
