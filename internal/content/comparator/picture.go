package comparator

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/bits"
	"strings"

	"golang.org/x/image/draw"
)

// Limits of pictures. A picture beyond them is compared byte for byte.
const (
	decodedBytes = 24 << 20 // of the pixels of one picture while it is decoded
	pictureSide  = 16_384
)

// What counts as the same look. The hash finds what changed at large or has another shape, and misses a single letter, a
// thin line and colors that are equally bright. Pixels without a match find these. Edges may be smoothed otherwise and be a
// pixel away, so a pixel may be as different as its surroundings are among themselves.
const (
	hashDistance = 2   // differing bits of 256
	flatNear     = 32  // the largest difference of a channel, of 255, where everything around has one color
	edgeNear     = 0.4 // and how much of the range of colors around is added
	sideNear     = 2   // pixels by which a side may differ: borders are cut off around letters
)

// likeness of pictures.
type pictureLikeness struct {
	same, alike bool
	resized     bool
	scaled      bool    // the sizes differ, and one looks like the other when it is scaled
	differing   float64 // share of the pixels that aren't the same; 0 if the sizes differ
}

// comparePictures compares decoded pixels; false if a picture can't be decoded within the limits.
func comparePictures(author, run string) (found pictureLikeness, ok bool) {
	a, ok := decode(author)
	if !ok {
		return found, false
	}
	r, ok := decode(run)
	if !ok {
		return found, false
	}
	found.resized = a.Rect.Size() != r.Rect.Size()
	if !found.resized {
		different := differing(a, r)
		found.same = different == 0
		found.differing = float64(different) / float64(len(a.Pix)/4)
		found.alike = found.same || matches(a, r) && distance(hashOf(a), hashOf(r)) <= hashDistance
		return found, true
	}
	found.alike = fits(a, r) && distance(hashOf(a), hashOf(r)) <= hashDistance
	found.scaled = !found.alike && matchesScaled(a, r)
	return found, true
}

// decode returns the pixels of a picture on white.
func decode(encoded string) (*image.RGBA, bool) {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		return nil, false
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width < 1 || config.Height < 1 || config.Width > pictureSide || config.Height > pictureSide {
		return nil, false
	}
	if config.Width*config.Height > decodedBytes/bytesForPixel(format, config.ColorModel) {
		return nil, false
	}
	var decoded image.Image
	switch format {
	case "png":
		decoded, err = png.Decode(bytes.NewReader(data))
	case "jpeg":
		decoded, err = jpeg.Decode(bytes.NewReader(data))
	default:
		return nil, false
	}
	if err != nil {
		return nil, false
	}
	if whole, ok := decoded.(*image.RGBA); ok && whole.Opaque() && whole.Stride == 4*whole.Rect.Dx() {
		return whole, true
	}
	on := image.NewRGBA(image.Rectangle{Max: decoded.Bounds().Size()})
	draw.Draw(on, on.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(on, on.Rect, decoded, decoded.Bounds().Min, draw.Over)
	return on, true
}

// bytesForPixel is how much memory a pixel takes while it is decoded; a progressive JPEG keeps its coefficients too.
func bytesForPixel(format string, model color.Model) int {
	switch {
	case format == "jpeg":
		return 16
	case model == color.RGBA64Model, model == color.NRGBA64Model, model == color.Gray16Model:
		return 8
	}
	return 4
}

// differing counts the pixels that aren't the same.
func differing(a, b *image.RGBA) (count int) {
	for at := 0; at < len(a.Pix); at += 4 {
		if [3]byte(a.Pix[at:]) != [3]byte(b.Pix[at:]) {
			count++
		}
	}
	return count
}

// fits reports whether one of two pictures of nearly the same size matches the other somewhere.
func fits(a, b *image.RGBA) bool {
	more := a.Rect.Size().Sub(b.Rect.Size())
	if max(more.X, -more.X) > sideNear || max(more.Y, -more.Y) > sideNear {
		return false
	}
	size := image.Pt(min(a.Rect.Dx(), b.Rect.Dx()), min(a.Rect.Dy(), b.Rect.Dy()))
	for x := range max(more.X, -more.X) + 1 {
		for y := range max(more.Y, -more.Y) + 1 {
			if matches(part(a, size, min(x, max(more.X, 0)), min(y, max(more.Y, 0))), part(b, size, min(x, max(-more.X, 0)), min(y, max(-more.Y, 0)))) {
				return true
			}
		}
	}
	return false
}

// part cuts a part of a size out of a picture.
func part(whole *image.RGBA, size image.Point, x, y int) *image.RGBA {
	cut := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(cut, cut.Rect, whole, image.Pt(x, y), draw.Src)
	return cut
}

// matches reports whether each pixel of either picture is like those at the same place and around it in the other. A line,
// a letter or a legend that only one of them has leaves pixels that aren't.
func matches(a, b *image.RGBA) bool { return covers(a, b) && covers(b, a) }

// covers reports whether each pixel of b has its like in a.
func covers(a, b *image.RGBA) bool {
	width, height := b.Rect.Dx(), b.Rect.Dy()
	for y := range height {
		for x := range width {
			at := 4 * (y*width + x)
			if [3]byte(a.Pix[at:]) != [3]byte(b.Pix[at:]) && !like(b.Pix[at:], a, x, y) {
				return false
			}
		}
	}
	return true
}

// like reports whether a color is within the range of those at a place and around it, or near that.
func like(wanted []byte, in *image.RGBA, x, y int) bool {
	width, height := in.Rect.Dx(), in.Rect.Dy()
	for channel := range 3 {
		low, high := 255, 0
		for v := max(0, y-1); v <= min(height-1, y+1); v++ {
			for u := max(0, x-1); u <= min(width-1, x+1); u++ {
				one := int(in.Pix[4*(v*width+u)+channel])
				low, high = min(low, one), max(high, one)
			}
		}
		near := flatNear + int(edgeNear*float64(high-low))
		if one := int(wanted[channel]); one < low-near || one > high+near {
			return false
		}
	}
	return true
}

func distance(a, b hash256) (count int) {
	for i := range a {
		count += bits.OnesCount64(a[i] ^ b[i])
	}
	return count
}
