"""Makes rod.csv: python3 generate.py > rod.csv

The temperature at four points of a steel rod whose left end is heated for ten minutes and then cooled (explicit finite
differences). Standard library only; nothing is random.
"""

POINTS = 41
SPACING = 0.5  # cm
DIFFUSIVITY = 0.16  # cm2/s, like steel
STEP = 0.5  # s; below SPACING**2 / (2 * DIFFUSIVITY), or the solution grows without bound
SAMPLE_EVERY = 4  # steps, which is 2 s
DURATION, HEATED = 1800.0, 600.0  # s
ROOM, HOT = 20.0, 100.0  # degrees Celsius
PLACES = (2, 5, 10, 20)  # cm from the left end


def main():
    rod = [ROOM] * POINTS
    rate = DIFFUSIVITY * STEP / SPACING**2
    print("time_s," + ",".join(f"at_{place}cm_C" for place in PLACES))
    for step in range(int(DURATION / STEP)):
        time = step * STEP
        rod[0] = HOT if time < HEATED else ROOM
        if step % SAMPLE_EVERY == 0:
            print(f"{time:.0f}," + ",".join(f"{rod[round(place / SPACING)]:.2f}" for place in PLACES))
        rod[1:] = [
            rod[point] + rate * (rod[point - 1] - 2.0 * rod[point] + rod[min(point + 1, POINTS - 1)])
            for point in range(1, POINTS)
        ]


if __name__ == "__main__":
    main()
