package cover

import (
	"bytes"
	"image"
	"image/color"
	_ "image/gif" // decodes header images
	"image/jpeg"
	"image/png"
	"math"

	"cairn/internal/content/raster"
	"cairn/internal/entries/catalog"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
	_ "golang.org/x/image/webp" // decodes header images
)

// The kinds of pictures that covers are, beside drawings.
const (
	pngMIME  = "image/png"
	jpegMIME = "image/jpeg"
	webpMIME = "image/webp"
)

// A cover is twice as large as its place on a card, for dense screens. A picture that is small enough is served as it is.
const (
	largestWidth, largestHeight = 800, 800
	figureHeight                = 400
	largestAsItIs               = 1_600
)

// cover returns a cover made from a source, which is a drawing if there is none.
func (s source) cover(r catalog.Entry) (mime string, content []byte) {
	if s.decoded != nil {
		if mime, content = s.scaled(); content != nil {
			return mime, content
		}
	}
	return drawingMIME, s.drawing(r).svg()
}

// drawing draws what isn't a picture.
func (s source) drawing(r catalog.Entry) drawing {
	switch {
	case s.lines != nil:
		return plot(r, s.lines)
	case len(s.languages) > 0:
		return languages(r, s.languages)
	default:
		return stones(r)
	}
}

// decode decodes the picture, if there is one; without it, the cover is a drawing.
func (s *source) decode() (err error) {
	if s.picture != nil {
		s.decoded, _, err = image.Decode(bytes.NewReader(s.picture))
	}
	return err
}

// scaled returns the picture in at most coverBytes; nil if that can't be.
func (s source) scaled() (mime string, content []byte) {
	from := s.decoded.Bounds()
	format, err := raster.Check(s.picture)
	if err == nil && len(s.picture) <= coverBytes && max(from.Dx(), from.Dy()) <= largestAsItIs && format != "gif" {
		return raster.Kinds()[format].MIME, s.picture
	}
	width, height := largestWidth, figureHeight
	if s.photo {
		height = largestHeight
	}
	for _, part := range []float64{1, 0.7, 0.5, 0.3} {
		small := fitted(s.decoded, int(part*float64(width)), int(part*float64(height)))
		var out bytes.Buffer
		if !s.photo && png.Encode(&out, small) == nil && out.Len() <= coverBytes {
			return pngMIME, out.Bytes()
		}
		for _, quality := range []int{85, 70, 50} {
			out.Reset()
			if jpeg.Encode(&out, small, &jpeg.Options{Quality: quality}) == nil && out.Len() <= coverBytes {
				return jpegMIME, out.Bytes()
			}
		}
	}
	return "", nil
}

// fitted returns a picture on white, made smaller until it fits.
func fitted(picture image.Image, width, height int) *image.RGBA {
	from := picture.Bounds()
	scale := min(1, float64(width)/float64(from.Dx()), float64(height)/float64(from.Dy()))
	small := blank(max(1, int(scale*float64(from.Dx()))), max(1, int(scale*float64(from.Dy()))), color.White)
	draw.CatmullRom.Scale(small, small.Bounds(), picture, from, draw.Over, nil)
	return small
}

func blank(width, height int, ground color.Color) *image.RGBA {
	result := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(result, result.Bounds(), image.NewUniform(ground), image.Point{}, draw.Src)
	return result
}

// strokeWidth is the width of lines in pixels of a painting.
const strokeWidth = 5

// paint paints a drawing into a part of a picture, as a browser shows its SVG.
func (d drawing) paint(onto *image.RGBA, part image.Rectangle) {
	draw.Draw(onto, part, image.NewUniform(d.ground), image.Point{}, draw.Src)
	width, height := float64(part.Dx()), float64(part.Dy())
	scaleX, scaleY := width/drawingWidth, height/drawingHeight
	if !d.stretched {
		scaleX = min(scaleX, scaleY)
		scaleY = scaleX
	}
	left, top := (width-scaleX*drawingWidth)/2, (height-scaleY*drawingHeight)/2
	place := func(p point) (x, y float32) { return float32(left + p.x*scaleX), float32(top + p.y*scaleY) }
	fill := func(with color.RGBA, outline func(*vector.Rasterizer)) {
		area := vector.NewRasterizer(part.Dx(), part.Dy())
		outline(area)
		area.Draw(onto, part, image.NewUniform(with), image.Point{})
	}
	for _, shape := range d.shapes {
		fill(shape.color, func(area *vector.Rasterizer) {
			area.MoveTo(place(shape.begin))
			for _, curve := range shape.curves {
				firstX, firstY := place(curve[0])
				secondX, secondY := place(curve[1])
				toX, toY := place(curve[2])
				area.CubeTo(firstX, firstY, secondX, secondY, toX, toY)
			}
			area.ClosePath()
		})
	}
	for _, label := range d.labels {
		x, y := place(label.at)
		writeLabel(onto, label, fixed.P(part.Min.X+int(x), part.Min.Y+int(y)), labelSize*scaleY)
	}
	for _, line := range d.lines {
		for i := range line[1:] {
			fill(d.stroke, func(area *vector.Rasterizer) {
				fromX, fromY := place(line[i])
				toX, toY := place(line[i+1])
				bar(area, fromX, fromY, toX, toY)
			})
		}
	}
}

// writeLabel writes a label in letters of a height in pixels.
func writeLabel(onto *image.RGBA, written label, at fixed.Point26_6, height float64) {
	face, err := newFace(height)
	if err != nil {
		return
	}
	writer := font.Drawer{Dst: onto, Src: image.NewUniform(pageColor("ink")), Face: face, Dot: at}
	if written.ends {
		writer.Dot.X -= writer.MeasureString(written.text)
	}
	writer.DrawString(written.text)
}

// bar outlines a stroke from one point to another, a little longer than that, so that strokes join.
func bar(area *vector.Rasterizer, fromX, fromY, toX, toY float32) {
	length := float32(math.Hypot(float64(toX-fromX), float64(toY-fromY)))
	if length == 0 {
		return
	}
	alongX, alongY := (toX-fromX)/length*strokeWidth/2, (toY-fromY)/length*strokeWidth/2
	fromX, fromY, toX, toY = fromX-alongX/2, fromY-alongY/2, toX+alongX/2, toY+alongY/2
	area.MoveTo(fromX-alongY, fromY+alongX)
	area.LineTo(toX-alongY, toY+alongX)
	area.LineTo(toX+alongY, toY-alongX)
	area.LineTo(fromX+alongY, fromY-alongX)
	area.ClosePath()
}
