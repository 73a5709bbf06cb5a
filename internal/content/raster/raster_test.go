package raster_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"cairn/internal/content/raster"
	"cairn/internal/foundation/fault"
)

func TestTheContentAloneDecides(t *testing.T) {
	picture := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	wide := image.NewPaletted(image.Rect(0, 0, 16_385, 1), picture.Palette)
	encode := func(write func(io.Writer) error) []byte {
		var content bytes.Buffer
		if err := write(&content); err != nil {
			t.Fatal(err)
		}
		return content.Bytes()
	}
	small := encode(func(w io.Writer) error { return png.Encode(w, picture) })
	for name, c := range map[string]struct {
		content      []byte
		format, says string
	}{
		"a PNG":          {small, "png", ""},
		"a JPEG":         {encode(func(w io.Writer) error { return jpeg.Encode(w, picture, nil) }), "jpeg", ""},
		"a GIF":          {encode(func(w io.Writer) error { return gif.Encode(w, picture, nil) }), "gif", ""},
		"half a PNG":     {small[:20], "", "is a damaged png image."},
		"a wide PNG":     {encode(func(w io.Writer) error { return png.Encode(w, wide) }), "", "has 16385 by 1 pixels; the limits are 40 million pixels and 16,384 on a side."},
		"a drawing":      {[]byte("<svg xmlns='http://www.w3.org/2000/svg'></svg>"), "", "isn't a PNG, JPEG, GIF or WebP image."},
		"a page":         {[]byte("<!doctype html>" + strings.Repeat(" ", 100)), "", "isn't a PNG, JPEG, GIF or WebP image."},
		"a damaged JPEG": {[]byte("\xff\xd8\xff<script>"), "", "is a damaged jpeg image."},
		"nothing":        {nil, "", "isn't a PNG, JPEG, GIF or WebP image."},
	} {
		format, err := raster.Check(c.content)
		if format != c.format || (err != nil) != (c.says != "") || err != nil && (fault.MessageOf(err) != c.says || fault.KindOf(err) != fault.Invalid) {
			t.Errorf("%s: %q %v", name, format, err)
		}
	}
}
