"""Makes argon-energy.csv: python3 generate.py > argon-energy.csv

Molecular dynamics of 108 argon atoms with the Lennard-Jones potential in a periodic box, by the velocity Verlet
scheme. The atoms start on a crystal with random velocities; the crystal melts, then nothing but the forces acts.
Standard library only. A melting crystal turns a difference in the last digit into another trace within picoseconds, so
nothing here depends on the machine or the version of Python: no functions but the square root, no sum(), no random.
--steps N stops early: the file it makes is the beginning of the whole one.
"""

import argparse
import math

SEED = 1964
CELLS = 3  # face-centred cubic cells along each edge: 4 * 3**3 = 108 atoms
DENSITY = 0.8  # atoms per cubed sigma, 1344 kg/m3
EDGE = 1.709975946676697  # of a cell, in sigma: the cube root of 4 / DENSITY
CUTOFF = 2.5  # sigma
STEP = 0.00464  # in units of sigma * sqrt(m / epsilon), which is 10 fs
RECORD_EVERY = 2
STEPS = 2000

# Argon: epsilon / k = 119.8 K, sigma = 0.3405 nm.
KELVIN = 119.8
KILOJOULE = 119.8 * 0.00831446
PICOSECONDS = 0.010


def total(values):
    """The sum in the given order; sum() rounds differently since Python 3.12."""
    result = 0.0
    for value in values:
        result += value
    return result


class Chance:
    """A small linear congruential generator."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (6364136223846793005 * self.state + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53

    def bell(self):
        """Twelve uniform numbers add up to something close to a normal distribution."""
        return total(self.uniform() for _ in range(12)) - 6.0


def crystal():
    corners = ((0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5))
    places = [
        [(i + a) * EDGE, (j + b) * EDGE, (k + c) * EDGE]
        for i in range(CELLS) for j in range(CELLS) for k in range(CELLS) for a, b, c in corners
    ]
    return places, EDGE * CELLS


def velocities(count, temperature):
    chance = Chance(SEED)
    moving = [[chance.bell() for _ in range(3)] for _ in range(count)]
    for axis in range(3):
        drift = total(one[axis] for one in moving) / count
        for one in moving:
            one[axis] -= drift
    found = total(x * x for one in moving for x in one) / (3 * (count - 1))
    scale = math.sqrt(temperature / found)
    return [[x * scale for x in one] for one in moving]


def interact(places, box):
    """Forces and the potential energy, which is shifted to be zero at the cut-off."""
    count = len(places)
    forces = [[0.0, 0.0, 0.0] for _ in range(count)]
    inverse = 1.0 / (CUTOFF * CUTOFF * CUTOFF * CUTOFF * CUTOFF * CUTOFF)
    shift = 4.0 * (inverse * inverse - inverse)
    half, limit, energy = box / 2, CUTOFF * CUTOFF, 0.0
    for i in range(count - 1):
        xi, yi, zi = places[i]
        force = forces[i]
        for j in range(i + 1, count):
            xj, yj, zj = places[j]
            dx, dy, dz = xi - xj, yi - yj, zi - zj
            dx -= box if dx > half else -box if dx < -half else 0.0
            dy -= box if dy > half else -box if dy < -half else 0.0
            dz -= box if dz > half else -box if dz < -half else 0.0
            square = dx * dx + dy * dy + dz * dz
            if square >= limit:
                continue
            near = 1.0 / square
            six = near * near * near
            energy += 4.0 * six * (six - 1.0) - shift
            pull = 24.0 * near * six * (2.0 * six - 1.0)
            other = forces[j]
            for axis, part in enumerate((pull * dx, pull * dy, pull * dz)):
                force[axis] += part
                other[axis] -= part
    return forces, energy


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    steps = parser.parse_args().steps
    places, box = crystal()
    count = len(places)
    moving = velocities(count, 1.45)
    forces, potential = interact(places, box)
    print("time_ps,kinetic_kJ_mol,potential_kJ_mol,total_kJ_mol,temperature_K")
    for step in range(steps):
        if step % RECORD_EVERY == 0:
            kinetic = total(x * x for one in moving for x in one) / 2
            temperature = 2 * kinetic / (3 * (count - 1))
            print(f"{step * PICOSECONDS:.2f},{kinetic / count * KILOJOULE:.5f},{potential / count * KILOJOULE:.5f},"
                  f"{(kinetic + potential) / count * KILOJOULE:.5f},{temperature * KELVIN:.2f}")
        for place, velocity, force in zip(places, moving, forces):
            for axis in range(3):
                velocity[axis] += 0.5 * STEP * force[axis]
                place[axis] = (place[axis] + STEP * velocity[axis]) % box
        forces, potential = interact(places, box)
        for velocity, force in zip(moving, forces):
            for axis in range(3):
                velocity[axis] += 0.5 * STEP * force[axis]


if __name__ == "__main__":
    main()
