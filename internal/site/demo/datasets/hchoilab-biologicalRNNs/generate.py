"""Makes trials.csv: python3 generate.py > trials.csv

Trials of a decision task: noisy evidence for left or right adds up until it reaches a bound (a drift-diffusion model).
The task becomes harder after three right answers and easier after a wrong one (a staircase). Standard library only; the
seed is fixed.
"""

import math
import random

SEED = 1978
TRIALS = 600
EASIEST, HARDEST, CHANGE = 51.2, 1.6, 0.88  # percent of dots that move together, and the factor of a step
STEP = 0.002  # s
BOUND, LIMIT = 1.0, 3.0  # of the evidence, s
REST = 0.3  # s, to see and to press


def main():
    chance = random.Random(SEED)
    coherence, right_answers = EASIEST, 0
    print("trial,coherence_percent,response_ms,evidence,direction,choice,correct")
    for trial in range(1, TRIALS + 1):
        direction = chance.choice((-1, 1))
        evidence, time = 0.0, 0.0
        while abs(evidence) < BOUND and time < LIMIT:
            evidence += 0.08 * coherence * direction * STEP + math.sqrt(STEP) * chance.gauss(0.0, 1.0)
            time += STEP
        correct = evidence * direction > 0.0
        sides = ["right" if side > 0.0 else "left" for side in (direction, evidence)]
        print(
            f"{trial},{coherence:.1f},{1000.0 * (time + chance.gauss(REST, 0.03)):.0f},{evidence:.3f},"
            f"{sides[0]},{sides[1]},{int(correct)}"
        )
        right_answers = right_answers + 1 if correct else 0
        if not correct:
            coherence = min(EASIEST, coherence / CHANGE)
        elif right_answers % 3 == 0:
            coherence = max(HARDEST, coherence * CHANGE)


if __name__ == "__main__":
    main()
