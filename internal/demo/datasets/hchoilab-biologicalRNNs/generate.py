"""Makes trials.csv: python3 generate.py > trials.csv

Trials of a decision task: noisy evidence for left or right adds up until it reaches a bound (a drift-diffusion model).
Recurrent networks are often trained on this task. Standard library only; the seed is fixed.
"""

import math
import random

SEED = 1978
TRIALS = 1200
COHERENCES = (0.0, 3.2, 6.4, 12.8, 25.6, 51.2)  # percent of dots that move together
STEP = 0.002  # s
BOUND, LIMIT = 1.0, 3.0  # of the evidence, s
REST = 0.3  # s, to see and to press


def main():
    chance = random.Random(SEED)
    print("trial,coherence_percent,evidence,choice,correct,response_ms")
    for trial in range(1, TRIALS + 1):
        coherence = chance.choice(COHERENCES) * chance.choice((-1.0, 1.0))  # negative: to the left
        evidence, time = 0.0, 0.0
        while abs(evidence) < BOUND and time < LIMIT:
            evidence += 0.08 * coherence * STEP + math.sqrt(STEP) * chance.gauss(0.0, 1.0)
            time += STEP
        choice = "right" if evidence > 0.0 else "left"
        correct = int((coherence > 0.0) == (evidence > 0.0)) if coherence else 1
        print(f"{trial},{coherence + 0.0:.1f},{evidence:.3f},{choice},{correct},{1000.0 * (time + chance.gauss(REST, 0.03)):.0f}")


if __name__ == "__main__":
    main()
