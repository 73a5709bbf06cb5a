package cover

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"

	"cairn/internal/entries/catalog"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The picture for links, in pixels: the art, and below it the name beside a spine in the color of the type.
const (
	socialWidth, socialHeight = 1200, 630
	artHeight                 = 440
	spine                     = 16
	margin                    = 56
	nameSize                  = 48
	lineHeight                = 62
	nameLines                 = 2
)

// social returns the picture for links, as a PNG of at most coverBytes: with fewer colors if need be, then smaller in
// its place, and at last as a drawing.
func (s source) social(r catalog.Entry) []byte {
	name := nameIn(r.Name, socialWidth-2*margin)
	art := image.Rect(0, 0, socialWidth, artHeight)
	if len(name) == 0 {
		art.Max.Y = socialHeight
	}
	if s.decoded != nil {
		for _, part := range []float64{1, 0.6, 0.4} {
			canvas := s.framed(r, art, part)
			writeName(canvas, r, name)
			for _, colors := range []int{256, 64, 24} {
				if content := encoded(withColors(canvas, colors)); len(content) <= coverBytes {
					return content
				}
			}
		}
	}
	canvas := blank(socialWidth, socialHeight, color.White)
	s.drawing(r).paint(canvas, art)
	writeName(canvas, r, name)
	return encoded(withColors(canvas, 64))
}

// socialDrawing is the picture for links while the sources of an entry can't be read.
func socialDrawing(r catalog.Entry) []byte { return source{}.social(r) }

// framed returns a canvas with a picture in a part of its place. A photo in the whole of it is cut, others are shown whole.
func (s source) framed(r catalog.Entry, place image.Rectangle, part float64) *image.RGBA {
	canvas := blank(socialWidth, socialHeight, color.White)
	from := s.decoded.Bounds()
	if s.photo && part == 1 {
		scale := max(float64(place.Dx())/float64(from.Dx()), float64(place.Dy())/float64(from.Dy()))
		width, height := int(float64(place.Dx())/scale), int(float64(place.Dy())/scale)
		left, top := from.Min.X+(from.Dx()-width)/2, from.Min.Y+(from.Dy()-height)/2
		draw.CatmullRom.Scale(canvas, place, s.decoded, image.Rect(left, top, left+width, top+height), draw.Over, nil)
		return canvas
	}
	if s.photo {
		draw.Draw(canvas, place, image.NewUniform(toneOf(r).tint), image.Point{}, draw.Src)
	}
	inner := place.Inset(margin / 3)
	scale := part * min(float64(inner.Dx())/float64(from.Dx()), float64(inner.Dy())/float64(from.Dy()))
	width, height := max(1, int(scale*float64(from.Dx()))), max(1, int(scale*float64(from.Dy())))
	left, top := place.Min.X+(place.Dx()-width)/2, place.Min.Y+(place.Dy()-height)/2
	draw.CatmullRom.Scale(canvas, image.Rect(left, top, left+width, top+height), s.decoded, from, draw.Over, nil)
	return canvas
}

// built is the font in the binary. It has the letters of European languages.
var built = mustParse()

func mustParse() *sfnt.Font {
	parsed, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic(err) // it is part of the program
	}
	return parsed
}

func newFace(size float64) (font.Face, error) {
	return opentype.NewFace(built, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
}

// nameIn returns the lines of a name in a width; none when the font lacks one of its letters, because boxes in place of
// letters are worse than no name.
func nameIn(name string, width int) []string {
	var buffer sfnt.Buffer
	name = strings.Join(strings.Fields(name), " ")
	for _, letter := range name {
		if glyph, err := built.GlyphIndex(&buffer, letter); err != nil || glyph == 0 {
			return nil
		}
	}
	face, err := newFace(nameSize)
	if err != nil {
		return nil
	}
	fits := func(text string) bool { return font.MeasureString(face, text) <= fixed.I(width) }
	var lines []string
	line := ""
	for word := range strings.SplitSeq(name, " ") {
		if line != "" && !fits(line+" "+word) {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	lines = append(lines, line)
	cut := len(lines) > nameLines
	lines = lines[:min(len(lines), nameLines)]
	for i, line := range lines {
		if fits(line) && (!cut || i < nameLines-1) {
			continue
		}
		letters := []rune(line)
		for len(letters) > 0 && !fits(string(letters)+"…") {
			letters = letters[:len(letters)-1]
		}
		lines[i] = strings.TrimRight(string(letters), " ") + "…"
	}
	return lines
}

func writeName(canvas *image.RGBA, r catalog.Entry, lines []string) {
	if len(lines) == 0 {
		return
	}
	draw.Draw(canvas, image.Rect(0, artHeight, spine, socialHeight), image.NewUniform(toneOf(r).base), image.Point{}, draw.Src)
	face, err := newFace(nameSize)
	if err != nil {
		return
	}
	below := artHeight + (socialHeight-artHeight-len(lines)*lineHeight)/2
	writer := font.Drawer{Dst: canvas, Src: image.NewUniform(pageColor("ink")), Face: face}
	for i, line := range lines {
		writer.Dot = fixed.P(margin, below+i*lineHeight+nameSize)
		writer.DrawString(line)
	}
}

func encoded(picture image.Image) []byte {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	_ = encoder.Encode(&out, picture) // writing to memory can't fail
	return out.Bytes()
}

// withColors returns a picture with this many colors, at most 256: those that most of its pixels have.
func withColors(picture *image.RGBA, most int) *image.Paletted {
	const perChannel = 5 // bits that tell colors apart
	key := func(at int) int {
		const rest = 8 - perChannel
		return int(picture.Pix[at]>>rest)<<(2*perChannel) | int(picture.Pix[at+1]>>rest)<<perChannel | int(picture.Pix[at+2]>>rest)
	}
	type group struct {
		key, count int
		sum        [3]int
	}
	groups := make([]group, 1<<(3*perChannel))
	for at := 0; at < len(picture.Pix); at += 4 {
		one := &groups[key(at)]
		one.key = key(at)
		one.count++
		for channel := range one.sum {
			one.sum[channel] += int(picture.Pix[at+channel])
		}
	}
	found := slices.DeleteFunc(groups, func(one group) bool { return one.count == 0 })
	slices.SortFunc(found, func(a, b group) int { return cmp.Or(b.count-a.count, a.key-b.key) })
	mean := func(one group) color.RGBA {
		return color.RGBA{uint8(one.sum[0] / one.count), uint8(one.sum[1] / one.count), uint8(one.sum[2] / one.count), 255}
	}
	colors := color.Palette{}
	for _, one := range found[:min(most, len(found))] {
		colors = append(colors, mean(one))
	}
	nearest := make([]uint8, 1<<(3*perChannel))
	for _, one := range found {
		nearest[one.key] = uint8(colors.Index(mean(one)))
	}
	result := image.NewPaletted(picture.Bounds(), colors)
	for i := range result.Pix {
		result.Pix[i] = nearest[key(4*i)]
	}
	return result
}
