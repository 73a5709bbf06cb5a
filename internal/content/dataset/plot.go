package dataset

import "math"

// Point is a point in a plot: x, then y.
type Point [2]float64

// ColumnNumbers summarizes a numeric column and holds what is needed to draw it.
type ColumnNumbers struct {
	Count     int       `json:"count" doc:"Cells with a number"`
	Minimum   float64   `json:"minimum"`
	Maximum   float64   `json:"maximum"`
	Mean      float64   `json:"mean"`
	Lines     [][]Point `json:"lines" doc:"The values against orderedBy or the number of the row, with the extremes of what was left out; a new line begins after missing values; none for orderedBy itself"`
	Histogram []int     `json:"histogram" doc:"How many values lie in each of equal parts of minimum to maximum"`
}

const (
	histogramBins = 24
	pointsLimit   = 6_000 // of all columns together
	mostBuckets   = 200   // per column; each has at most two points
)

// bucketsFor divides the points among this many columns.
func bucketsFor(columns int) int { return min(mostBuckets, pointsLimit/2/max(columns, 1)) }

// sumUp summarizes values; NaN is a missing one.
func sumUp(values []float64) *ColumnNumbers {
	result := &ColumnNumbers{Minimum: math.Inf(1), Maximum: math.Inf(-1), Lines: [][]Point{}, Histogram: make([]int, histogramBins)}
	for _, value := range values {
		if math.IsNaN(value) {
			continue
		}
		result.Count++
		result.Minimum, result.Maximum = min(result.Minimum, value), max(result.Maximum, value)
		result.Mean += value/float64(result.Count) - result.Mean/float64(result.Count) // a sum could overflow
	}
	// Rounding must not move the mean outside the values.
	result.Mean = min(max(result.Mean, result.Minimum), result.Maximum)
	for _, value := range values {
		if !math.IsNaN(value) {
			result.Histogram[part(value, result.Minimum, result.Maximum, histogramBins)]++
		}
	}
	return result
}

// part returns which of equal parts of a range contains a value.
func part(value, from, to float64, parts int) int {
	span := to/2 - from/2 // halved: the range of two floats may overflow
	if !(span > 0) {
		return 0
	}
	return min(max(int((value/2-from/2)/span*float64(parts)), 0), parts-1)
}

// plotLines returns the lines of a plot of values at ascending x. With many rows, x is divided into buckets, and each is
// drawn by its lowest and highest value, so that no spike is lost.
func plotLines(x, values []float64, buckets int) [][]Point {
	lines := [][]Point{}
	var line []Point
	bucket := func(row int) int { return part(x[row], x[0], x[len(x)-1], buckets) }
	for row := 0; row < len(x); {
		after := row + 1
		if len(x) > 2*buckets {
			for after < len(x) && bucket(after) == bucket(row) {
				after++
			}
		}
		points := extremes(x[row:after], values[row:after])
		if len(points) == 0 && len(line) > 0 {
			lines, line = append(lines, line), nil
		}
		line = append(line, points...)
		row = after
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// extremes returns the lowest and the highest of some values in the order of x; one point if they are equal, none if
// all are missing.
func extremes(x, values []float64) []Point {
	low, high := -1, -1
	for i, value := range values {
		if math.IsNaN(value) {
			continue
		}
		if low < 0 || value < values[low] {
			low = i
		}
		if high < 0 || value > values[high] {
			high = i
		}
	}
	switch {
	case low < 0:
		return nil
	case low == high:
		return []Point{{x[low], values[low]}}
	}
	first, second := min(low, high), max(low, high)
	return []Point{{x[first], values[first]}, {x[second], values[second]}}
}
