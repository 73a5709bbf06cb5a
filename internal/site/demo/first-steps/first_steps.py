"""Reading the datasets of this project, and two small analyses. Standard library only."""

import csv
import os
from pathlib import Path


def dataset(name):
    """The folder of a dataset: that of the session's project, or else the copy in this repository."""
    places = [Path(__file__).parent / "data"]
    if "CAIRN_DATASETS" in os.environ:
        places.insert(0, Path(os.environ["CAIRN_DATASETS"]))
    for place in places:
        if (place / name).is_dir():
            return place / name
    raise FileNotFoundError(f"The dataset {name} is not in {' or '.join(map(str, places))}.")


def read_table(path):
    """A CSV file of numbers as {column name: list of floats}."""
    with open(path, newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        columns = zip(*([float(value) for value in row] for row in rows))
        return dict(zip(names, map(list, columns)))


def find_spikes(time, voltage, threshold=0.0):
    """The times at which the voltage rises through the threshold, interpolated between samples."""
    spikes = []
    for i in range(1, len(voltage)):
        before, after = voltage[i - 1], voltage[i]
        if before < threshold <= after:
            part = (threshold - before) / (after - before)
            spikes.append(time[i - 1] + part * (time[i] - time[i - 1]))
    return spikes


def mean_and_deviation(values):
    """The mean of some numbers and their standard deviation."""
    mean = sum(values) / len(values)
    return mean, (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
