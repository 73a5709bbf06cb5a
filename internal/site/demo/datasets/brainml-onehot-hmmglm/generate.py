"""Makes spike-counts.csv: python3 generate.py > spike-counts.csv

Spikes of six neurons that switch between two states, as a hidden Markov model with a Poisson GLM in each state. The
states differ in who excites (+1) and who inhibits (-1) whom. Standard library only; the seed is fixed.
"""

import math
import random

SEED = 2024
BINS = 2000
STAY = 0.99  # probability of the same state in the next bin
STRENGTH = 0.45
# CONNECTIONS[state][to][from]
CONNECTIONS = (
    ((0, 1, 0, 0, -1, 0), (0, 0, 1, 0, -1, 0), (1, 0, 0, 0, 0, -1), (0, 1, 0, 0, -1, 0), (1, 0, 0, 1, 0, 0), (0, 0, 1, 0, 0, 0)),
    ((0, 0, 0, 1, 0, -1), (1, 0, 0, 0, 0, -1), (0, 0, 0, 1, -1, 0), (0, 1, 0, 0, 0, 0), (0, 1, 0, 0, 0, 1), (0, 0, 0, 1, -1, 0)),
)
BASE = (-1.2, -0.7)  # log of the rate without input, in each state


def poisson(chance, rate):
    """A number of spikes (Knuth's method, for small rates)."""
    limit, product, spikes = math.exp(-rate), chance.random(), 0
    while product > limit:
        product *= chance.random()
        spikes += 1
    return spikes


def main():
    chance = random.Random(SEED)
    state, spikes = 0, [0] * 6
    print("bin,state," + ",".join(f"neuron_{number}" for number in range(1, 7)))
    for number in range(BINS):
        if chance.random() > STAY:
            state = 1 - state
        spikes = [
            poisson(chance, min(8.0, math.exp(BASE[state] + STRENGTH * sum(w * n for w, n in zip(row, spikes)))))
            for row in CONNECTIONS[state]
        ]
        print(f"{number},{state},{','.join(map(str, spikes))}")


if __name__ == "__main__":
    main()
