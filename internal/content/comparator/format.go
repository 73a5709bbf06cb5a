package comparator

import (
	"image"
	"math"
	"regexp"
	"strings"
	"time"

	"golang.org/x/image/draw"
)

// Versions of a library write the same values in other ways. Before version 1.14, NumPy left a blank for the sign of each
// number, wrote zeros at the end, a comma after the ellipsis of a long array, and that its truth values are some.
var (
	otherwise = strings.NewReplacer(", dtype=bool)", ")", "...,", "...")
	// around is white space that separates nothing.
	around = regexp.MustCompile(`\s*([\[\](){},=:])\s*`)
)

// sameValues reports whether two texts that differ have the same words and numbers in the same order: then only white space, line
// breaks, zeros at the end of numbers and the like differ. A whole number isn't the same as one with a point.
func sameValues(author, run text, ranAt time.Time) bool {
	a, numbers, dates := valuesOf(author)
	r, others, moments := valuesOf(run)
	if a != r || !pass(dates, moments, "", ranAt) {
		return false
	}
	_, same := nearly(numbers, others, absolute)
	return same
}

// valuesOf returns a text with marks in the place of its numbers, and white space only where that separates something.
func valuesOf(whole text) (words string, numbers []float64, dates []moment) {
	var all strings.Builder
	for i := range whole.lines {
		one := &whole.lines[i]
		one.look()
		dates = append(dates, one.dates...)
		all.WriteString(one.key)
		all.WriteByte('\n')
	}
	marked, numbers := markNumbers(otherwise.Replace(all.String()))
	return around.ReplaceAllString(strings.Join(strings.Fields(marked), " "), "$1"), numbers, dates
}

// How pictures of different sizes are compared: both as wide as a thumbnail, because letters and lines are drawn otherwise in each
// size. That finds another curve, bar or label, but no other letter.
const (
	sideRatio      = 0.02 // by which the proportions may differ
	thumbnail      = 128  // pixels
	scaledDistance = 16   // differing bits of 256 of their hashes
)

// matchesScaled reports whether two pictures of different sizes look alike as thumbnails, without the borders around them.
func matchesScaled(a, b *image.RGBA) bool {
	a, b = withoutBorder(a), withoutBorder(b)
	shape := float64(a.Rect.Dy()) / float64(a.Rect.Dx())
	if math.Abs(shape*float64(b.Rect.Dx())/float64(b.Rect.Dy())-1) > sideRatio {
		return false
	}
	size := image.Rect(0, 0, thumbnail, max(1, int(math.Round(thumbnail*min(shape, thumbnail)))))
	small, other := image.NewRGBA(size), image.NewRGBA(size)
	draw.CatmullRom.Scale(small, size, a, a.Rect, draw.Src, nil)
	draw.CatmullRom.Scale(other, size, b, b.Rect, draw.Src, nil)
	return matches(small, other) && distance(hashOf(small), hashOf(other)) <= scaledDistance
}

// withoutBorder returns a picture without the rows and columns at its sides that have the color of its first pixel.
func withoutBorder(whole *image.RGBA) *image.RGBA {
	inside := image.Rectangle{Min: whole.Rect.Max, Max: whole.Rect.Min}
	for y := range whole.Rect.Dy() {
		for x := range whole.Rect.Dx() {
			if [3]byte(whole.Pix[y*whole.Stride+4*x:]) != [3]byte(whole.Pix) {
				inside.Min.X, inside.Max.X = min(inside.Min.X, x), max(inside.Max.X, x+1)
				inside.Min.Y, inside.Max.Y = min(inside.Min.Y, y), max(inside.Max.Y, y+1)
			}
		}
	}
	if inside.Empty() {
		return whole
	}
	return part(whole, inside.Size(), inside.Min.X, inside.Min.Y)
}
