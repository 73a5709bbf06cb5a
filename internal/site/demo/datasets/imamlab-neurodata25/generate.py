"""Makes speech.csv: python3 generate.py > speech.csv

Six syllables of an artificial voice, their loudness, and the phase of an oscillator that follows it, much
as an ear and a brain begin to process speech. Standard library only; the seed is fixed.
"""

import math
import random

SEED = 1961
RATE = 2000  # samples in a second
SYLLABLES = 6
PITCH = 110.0  # Hz
OSCILLATOR, COUPLING = 4.5, 18.0  # Hz, 1/s


def main():
    chance = random.Random(SEED)
    onsets, time = [], 0.06
    for _ in range(SYLLABLES):
        onsets.append((time, chance.uniform(0.10, 0.15)))  # s, its width
        time += chance.uniform(0.19, 0.25)
    loudness, phase = 0.0, 0.0
    print("time_ms,sound,loudness,phase_rad")
    for sample in range(int(1.5 * RATE)):
        time = sample / RATE
        strength = sum(math.sin(math.pi * (time - on) / width) ** 2 for on, width in onsets if on <= time < on + width)
        voice = sum(math.sin(2.0 * math.pi * PITCH * number * time) / number for number in range(1, 6))
        sound = 0.4 * strength * voice + chance.gauss(0.0, 0.01)
        loudness += (abs(sound) - loudness) / (0.015 * RATE)
        phase += (2.0 * math.pi * OSCILLATOR - COUPLING * loudness * 4.0 * math.sin(phase)) / RATE
        if sample % 2 == 0:
            print(f"{1000.0 * time:.0f},{sound:.4f},{loudness:.4f},{math.remainder(phase, 2.0 * math.pi):.3f}")


if __name__ == "__main__":
    main()
