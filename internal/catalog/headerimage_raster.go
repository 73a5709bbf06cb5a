package catalog

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"cairn/internal/fault"

	"golang.org/x/image/webp"
)

// raster is a kind of picture that is shown. No other is: an SVG, for one, is a document with script.
type raster struct {
	mime   string
	begins string // ? stands for any byte
	decode func(io.Reader) (image.Config, error)
}

// rasters are the kinds, by the endings of their files.
var rasters = map[string]raster{
	"png":  {"image/png", "\x89PNG\r\n\x1a\n", png.DecodeConfig},
	"jpeg": {"image/jpeg", "\xff\xd8\xff", jpeg.DecodeConfig},
	"gif":  {"image/gif", "GIF8?a", gif.DecodeConfig},
	"webp": {"image/webp", "RIFF????WEBP", webp.DecodeConfig},
}

// Bounds of what a browser has to unpack.
const (
	imagePixels = 40_000_000
	imageSide   = 16_384
)

// checkRaster tells what kind of picture a content is, by itself, whatever its source calls it; Invalid when it is none.
func checkRaster(content []byte) (format string, err error) {
	for format, kind := range rasters {
		if !kind.matches(content) {
			continue
		}
		config, err := kind.decode(bytes.NewReader(content))
		switch {
		case err != nil, config.Width < 1, config.Height < 1:
			return "", fault.Wrap(err, fault.Invalid, "What its address leads to is a damaged %s image.", format)
		case config.Width > imageSide, config.Height > imageSide, config.Width*config.Height > imagePixels:
			return "", fault.New(fault.Invalid, "It has %d by %d pixels; 40 million may be, and 16,384 on a side.", config.Width, config.Height)
		}
		return format, nil
	}
	return "", fault.New(fault.Invalid, "What its address leads to is no PNG, JPEG, GIF or WebP image.")
}

func (kind raster) matches(content []byte) bool {
	if len(content) < len(kind.begins) {
		return false
	}
	for i, want := range []byte(kind.begins) {
		if want != '?' && content[i] != want {
			return false
		}
	}
	return true
}
