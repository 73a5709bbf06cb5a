package comparator

import (
	"image"
	"math"
	"slices"

	"golang.org/x/image/draw"
)

// Sizes of the perceptual hash: the lowest frequencies of a picture scaled down to four times as many pixels.
const (
	hashSide = 16
	grayside = 4 * hashSide
)

// hash256 is a perceptual hash (pHash): for each of the lowest frequencies, whether it is stronger than the median.
type hash256 [hashSide * hashSide / 64]uint64

func hashOf(picture *image.RGBA) (hash hash256) {
	scaled := image.NewGray(image.Rect(0, 0, grayside, grayside))
	draw.CatmullRom.Scale(scaled, scaled.Rect, picture, picture.Rect, draw.Src, nil)
	var rows [grayside][hashSide]float64
	for y := range grayside {
		var row [grayside]float64
		for x := range grayside {
			row[x] = float64(scaled.Pix[y*scaled.Stride+x])
		}
		rows[y] = lowest(row)
	}
	frequencies := make([]float64, 0, hashSide*hashSide)
	for x := range hashSide {
		var column [grayside]float64
		for y := range grayside {
			column[y] = rows[y][x]
		}
		low := lowest(column)
		frequencies = append(frequencies, low[:]...)
	}
	sorted := slices.Sorted(slices.Values(frequencies))
	median := (sorted[len(sorted)/2-1] + sorted[len(sorted)/2]) / 2
	for i, one := range frequencies {
		if one > median {
			hash[i/64] |= 1 << (i % 64)
		}
	}
	return hash
}

// lowest returns the lowest frequencies of a line of pixels (DCT-II).
func lowest(pixels [grayside]float64) (frequencies [hashSide]float64) {
	for k := range frequencies {
		for i, pixel := range pixels {
			frequencies[k] += pixel * math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/grayside)
		}
	}
	return frequencies
}
