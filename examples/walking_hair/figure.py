#!/usr/bin/env python3
"""Makes a figure of rounded parts that walks or dances: figure.obj with a point cache figure.pc2, and head.obj.

    python3 figure.py walk|dance FOLDER

Each part is a closed capsule between two joints; the joints move by the sums of sines below, and every part is carried
by the frame of its bone. The cache has 20 samples per second. The head alone, as in the first sample, is in head.obj,
on which `continua groom` grows hair.
"""
import math
import os
import struct
import sys

RATE, SECONDS = 20, 1.2
AROUND, ALONG = 12, 3  # of a capsule: vertices around it, rings of each of its two caps
# name: joints at its ends, radius in m
PARTS = {
    "head": ("neck", "crown", 0.1),
    "trunk": ("hip", "chest", 0.13),
    "upper arm left": ("shoulder left", "elbow left", 0.045),
    "upper arm right": ("shoulder right", "elbow right", 0.045),
    "forearm left": ("elbow left", "hand left", 0.038),
    "forearm right": ("elbow right", "hand right", 0.038),
    "thigh left": ("socket left", "knee left", 0.07),
    "thigh right": ("socket right", "knee right", 0.07),
    "shin left": ("knee left", "foot left", 0.05),
    "shin right": ("knee right", "foot right", 0.05),
}


def add(a, b, scale=1.0):
    return [a[k] + scale * b[k] for k in range(3)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    size = math.sqrt(sum(x * x for x in a))
    return [x / size for x in a]


def swing(angle, side, length):
    """A bone that hangs down, swung forwards (along z) and sideways (along x) by angles."""
    return [length * math.sin(side), -length * math.cos(angle) * math.cos(side), length * math.sin(angle) * math.cos(side)]


def joints_at(style, time):
    """Places of the joints, m, and how the head and the trunk are turned about the vertical, rad. The motion begins at
    rest: all of it grows with `ease` over the first third of a second."""
    ease = min(time * 3, 1) ** 2 * (3 - 2 * min(time * 3, 1))
    phase = 2 * math.pi * time / (1.0 if style == "walk" else 0.8)
    swung, lifted = math.sin(phase), abs(math.sin(phase))
    walks = style == "walk"
    turn = ease * (0.12 * swung if walks else 0.9 * math.sin(phase))
    nod = ease * (0.08 * math.sin(2 * phase) if walks else 0.3 * math.sin(2 * phase))
    lean = ease * (0.03 * swung if walks else 0.3 * swung)
    forward = 0.9 * ease * (time - 1 / 6) if walks else 0.0
    hip = [ease * (0.02 if walks else 0.1) * swung, 0.92 + ease * (0.03 if walks else 0.1) * (lifted - 0.5), max(forward, 0)]
    chest = add(hip, [0.4 * math.sin(lean), 0.4 * math.cos(lean), 0.03 * ease])
    neck = add(chest, [0.24 * math.sin(1.5 * lean), 0.24, 0])
    crown = add(neck, [0.1 * math.sin(2 * lean), 0.1 * math.cos(nod), 0.1 * math.sin(nod)])
    place = {"hip": hip, "chest": chest, "neck": neck, "crown": crown}
    for side, sign in (("left", 1), ("right", -1)):
        across = [math.cos(turn), 0, -math.sin(turn)]
        arm = sign * ease * (0.5 if walks else 0.9) * swung
        leg = -sign * ease * (0.45 if walks else 0.25) * swung
        spread = sign * (0.1 if walks else 0.1 + ease * (0.8 + 0.5 * math.sin(phase + sign)))
        place["shoulder " + side] = add(add(chest, across, 0.19 * sign), [0, 0.07, 0])
        place["elbow " + side] = add(place["shoulder " + side], swing(arm, spread, 0.28))
        place["hand " + side] = add(place["elbow " + side], swing(arm + 0.3 + ease * 0.3, 1.2 * spread, 0.25))
        place["socket " + side] = add(hip, [0.09 * sign, -0.06, 0])
        place["knee " + side] = add(place["socket " + side], swing(leg + 0.1 * ease, 0.03 * sign, 0.4))
        bend = ease * 0.5 * max(0.0, -leg)
        place["foot " + side] = add(place["knee " + side], swing(leg - bend, 0.02 * sign, 0.4))
    return place, {"head": 1.6 * turn, "trunk": turn}


def capsule(a, b, radius, turn):
    """Vertices, ring by ring from the end beyond a to that beyond b."""
    along = unit(add(b, a, -1))
    front = [math.sin(turn), 0, math.cos(turn)]
    side = unit(cross(along, front))
    front = cross(side, along)
    rings = [(a, -math.pi / 2 + math.pi / 2 * (k + 1) / (ALONG + 1)) for k in range(ALONG + 1)]
    rings += [(b, math.pi / 2 * k / (ALONG + 1)) for k in range(ALONG + 1)]
    points = [add(a, along, -radius)]
    for centre, latitude in rings:
        for k in range(AROUND):
            angle = 2 * math.pi * k / AROUND
            flat = add([x * math.cos(angle) for x in side], front, math.sin(angle))
            points.append(add(add(centre, flat, radius * math.cos(latitude)), along, radius * math.sin(latitude)))
    return points + [add(b, along, radius)]


def faces_from(first):
    rings = 2 * ALONG + 2
    last = first + 1 + rings * AROUND
    ring = lambda r, k: first + 1 + r * AROUND + k % AROUND
    for k in range(AROUND):
        yield first, ring(0, k), ring(0, k + 1)
        yield last, ring(rings - 1, k + 1), ring(rings - 1, k)
        for r in range(rings - 1):
            yield ring(r, k), ring(r + 1, k), ring(r + 1, k + 1), ring(r, k + 1)


def figure_at(style, time, names):
    place, turned = joints_at(style, time)
    points = []
    for name in names:
        a, b, radius = PARTS[name]
        points += capsule(place[a], place[b], radius, turned.get(name, turned["trunk"]))
    return points


def write_obj(path, points, parts):
    each = len(points) // parts
    with open(path, "w", encoding="utf-8") as file:
        for p in points:
            file.write("v %.5f %.5f %.5f\n" % tuple(p))
        for part in range(parts):
            for face in faces_from(1 + part * each):
                file.write("f " + " ".join(str(v) for v in face) + "\n")


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("walk", "dance"):
        sys.exit("usage: figure.py walk|dance FOLDER")
    style, folder = sys.argv[1:]
    samples = [figure_at(style, k / RATE, PARTS) for k in range(int(SECONDS * RATE) + 1)]
    write_obj(os.path.join(folder, "figure.obj"), samples[0], len(PARTS))
    write_obj(os.path.join(folder, "head.obj"), figure_at(style, 0, ["head"]), 1)
    with open(os.path.join(folder, "figure.pc2"), "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(samples[0]), 0.0, 1.0, len(samples)))
        for points in samples:
            for p in points:
                file.write(struct.pack("<3f", *p))


if __name__ == "__main__":
    main()
