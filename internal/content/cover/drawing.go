package cover

import (
	"crypto/sha256"
	"fmt"
	"html"
	"image/color"
	"math"
	"strconv"
	"strings"

	"cairn/internal/content/dataset"
	"cairn/internal/entries/catalog"
	"cairn/web"
)

// The size of a drawing in its own units. Cards and pages show it at the height of 200 pixels.
const (
	drawingWidth  = 800
	drawingHeight = 400
)

const drawingMIME = "image/svg+xml"

type point struct{ x, y float64 }

// shape is a closed area between Bézier curves; a straight side is a curve too.
type shape struct {
	color  color.RGBA
	begin  point
	curves [][3]point
}

func (s *shape) curve(first, second, to point) {
	s.curves = append(s.curves, [3]point{first, second, to})
}

func (s *shape) line(to point) {
	from := s.begin
	if len(s.curves) > 0 {
		from = s.curves[len(s.curves)-1][2]
	}
	s.curve(from, to, to)
}

// drawing is a picture of areas, the lowest first.
type drawing struct {
	ground    color.RGBA
	shapes    []shape
	stretched bool // to the shape of its place, where others are shown whole, with their ground and shapes around them
	stroke    color.RGBA
	lines     [][]point // drawn with the stroke, equally wide wherever the drawing is stretched
	labels    []label   // on a drawing that isn't stretched
}

// label is a word on a drawing, whose line begins at a point, or ends there.
type label struct {
	text string
	at   point
	ends bool
}

// labelSize is the height of labels in units of the drawing: 14 pixels on a card.
const labelSize = 28

// tone is a color of the page: itself, as dark as text, and as light as a background.
type tone struct{ base, ink, tint color.RGBA }

// tones are the colors of the types, and of others.
var tones = pageTones()

func pageTones() map[catalog.Type]tone {
	found := map[catalog.Type]tone{}
	for kind, name := range web.Tones() {
		found[catalog.Type(kind)] = tone{pageColor(name), pageColor(name + "-ink"), pageColor(name + "-tint")}
	}
	return found
}

// pageColor returns a color of the page's design by its name; black if there is none.
func pageColor(name string) color.RGBA {
	_, rest, _ := strings.Cut(web.Tokens(), "--"+name+": #")
	digits, _, _ := strings.Cut(rest, ";")
	value, err := strconv.ParseUint(digits, 16, 24)
	if err != nil {
		return color.RGBA{A: 255}
	}
	return color.RGBA{uint8(value >> 16), uint8(value >> 8), uint8(value), 255}
}

func toneOf(r catalog.Entry) tone {
	if found, ok := tones[r.Type]; ok {
		return found
	}
	return tones["OTHER"]
}

// between mixes two colors; 0 is the first.
func between(one, other color.RGBA, share float64) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*share)) }
	return color.RGBA{mix(one.R, other.R), mix(one.G, other.G), mix(one.B, other.B), 255}
}

// chance returns numbers between two others that look random and are always the same for one entry.
type chance struct {
	digest [sha256.Size]byte
	next   int
}

func (c *chance) from(low, high float64) float64 {
	if c.next == len(c.digest) {
		c.digest, c.next = sha256.Sum256(c.digest[:]), 0
	}
	value := float64(c.digest[c.next]) / 255
	c.next++
	return low + value*(high-low)
}

// stones draws a cairn on a hill, in the color of the entry's type. Hills go on beyond the sides, for wide places.
func stones(r catalog.Entry) drawing {
	tone, chance := toneOf(r), &chance{digest: sha256.Sum256([]byte(r.ID))}
	result := drawing{ground: tone.tint}
	far, near := chance.from(230, 270), chance.from(310, 335)
	result.shapes = append(result.shapes,
		hill(between(tone.tint, tone.base, 0.16), far, chance.from(-60, 60)),
		hill(between(tone.tint, tone.base, 0.32), near, chance.from(-30, 30)))
	middle := chance.from(250, 550)
	base := near + 24
	width := chance.from(230, 290)
	count := 3 + int(chance.from(0, 2.99))
	for i := range count {
		height := width * chance.from(0.28, 0.36)
		if base-height < 24 {
			break
		}
		shade := between(tone.base, tone.ink, chance.from(0, 0.7))
		if i%2 == 1 {
			shade = between(tone.base, tone.tint, chance.from(0.15, 0.5))
		}
		result.shapes = append(result.shapes, stone(shade, point{middle, base - height/2}, width, height, chance))
		base -= height * 0.93
		middle += chance.from(-0.1, 0.1) * width
		width *= chance.from(0.62, 0.82)
	}
	return result
}

func hill(fill color.RGBA, height, slope float64) shape {
	const beyond = 2_400
	s := shape{color: fill, begin: point{-beyond, height + 40}}
	s.curve(point{-beyond / 2, height - 30}, point{0, height + slope}, point{drawingWidth / 2, height + slope/2})
	s.curve(point{drawingWidth, height}, point{beyond, height - slope}, point{beyond + drawingWidth, height + 30})
	s.line(point{beyond + drawingWidth, 3 * drawingHeight})
	s.line(point{-beyond, 3 * drawingHeight})
	return s
}

// stone is an ellipse, flatter at some of its corners, and slightly tilted.
func stone(fill color.RGBA, at point, width, height float64, chance *chance) shape {
	tilt := chance.from(-0.07, 0.07)
	turned := func(x, y float64) point {
		x, y = x*width/2, y*height/2
		return point{at.x + x*math.Cos(tilt) - y*math.Sin(tilt), at.y + x*math.Sin(tilt) + y*math.Cos(tilt)}
	}
	s := shape{color: fill, begin: turned(1, 0)}
	for _, corner := range [][2][2]float64{{{1, 0}, {0, 1}}, {{0, 1}, {-1, 0}}, {{-1, 0}, {0, -1}}, {{0, -1}, {1, 0}}} {
		from, to, round := corner[0], corner[1], chance.from(0.55, 0.8)
		s.curve(turned(from[0]+to[0]*round, from[1]+to[1]*round), turned(to[0]+from[0]*round, to[1]+from[1]*round), turned(to[0], to[1]))
	}
	return s
}

// plot draws the values of a column; it is stretched to its place.
func plot(r catalog.Entry, lines [][]dataset.Point) drawing {
	tone := toneOf(r)
	result := drawing{ground: tone.tint, stretched: true, stroke: tone.base}
	least, most := dataset.Point{math.Inf(1), math.Inf(1)}, dataset.Point{math.Inf(-1), math.Inf(-1)}
	for _, line := range lines {
		for _, one := range line {
			for axis, value := range one {
				least[axis], most[axis] = min(least[axis], value), max(most[axis], value)
			}
		}
	}
	const top, bottom = 60, 330
	for _, line := range lines {
		drawn := make([]point, 0, len(line))
		for _, one := range line {
			drawn = append(drawn, point{drawingWidth * share(one[0], least[0], most[0]), bottom - (bottom-top)*share(one[1], least[1], most[1])})
		}
		area := shape{color: between(tone.tint, tone.base, 0.22), begin: point{drawn[0].x, drawingHeight}}
		for _, one := range drawn {
			area.line(one)
		}
		area.line(point{drawn[len(drawn)-1].x, drawingHeight})
		result.shapes, result.lines = append(result.shapes, area), append(result.lines, drawn)
	}
	return result
}

// share returns where in a range a value lies: 0 at its beginning, 1 at its end; in the middle of an empty one.
func share(value, from, to float64) float64 {
	span := to/2 - from/2 // halved: the range of two floats may overflow
	if !(span > 0) {
		return 0.5
	}
	return (value/2 - from/2) / span
}

// svg returns the drawing as an image without a shape of its own: it fills the place of an <img>.
func (d drawing) svg() []byte {
	var text strings.Builder
	fit := "xMidYMid meet"
	if d.stretched {
		fit = "none"
	}
	fmt.Fprintf(&text, `<svg xmlns="http://www.w3.org/2000/svg" width="100%%" height="100%%"><rect width="100%%" height="100%%" fill="%s"/>`, hex(d.ground))
	fmt.Fprintf(&text, `<svg width="100%%" height="100%%" viewBox="0 0 %d %d" preserveAspectRatio="%s" overflow="visible">`, drawingWidth, drawingHeight, fit)
	for _, shape := range d.shapes {
		fmt.Fprintf(&text, `<path fill="%s" d="M%s`, hex(shape.color), at(shape.begin))
		from := shape.begin
		for _, curve := range shape.curves {
			if curve[0] == from && curve[1] == curve[2] {
				text.WriteString("L" + at(curve[2]))
			} else {
				text.WriteString("C" + at(curve[0]) + " " + at(curve[1]) + " " + at(curve[2]))
			}
			from = curve[2]
		}
		text.WriteString(`Z"/>`)
	}
	for _, line := range d.lines {
		fmt.Fprintf(&text, `<path fill="none" stroke="%s" stroke-width="2" stroke-linejoin="round" vector-effect="non-scaling-stroke" d="M`, hex(d.stroke))
		for i, one := range line {
			if i > 0 {
				text.WriteByte('L')
			}
			text.WriteString(at(one))
		}
		text.WriteString(`"/>`)
	}
	for _, label := range d.labels {
		anchor := "start"
		if label.ends {
			anchor = "end"
		}
		fmt.Fprintf(&text, `<text x="%.1f" y="%.1f" text-anchor="%s" font-family="system-ui,sans-serif" font-size="%d" fill="%s">%s</text>`,
			label.at.x, label.at.y, anchor, labelSize, hex(pageColor("ink")), html.EscapeString(label.text))
	}
	text.WriteString("</svg></svg>")
	return []byte(text.String())
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func at(p point) string { return fmt.Sprintf("%.1f,%.1f", p.x, p.y) }
