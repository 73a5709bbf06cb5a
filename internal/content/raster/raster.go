// Package raster decides from their content which pictures browsers may get: those of a few kinds that can't contain
// script, and of a size that can be decoded. It doesn't depend on other packages.
package raster

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"cairn/internal/foundation/fault"

	"golang.org/x/image/webp"
)

// Kind is a kind of picture that may be shown. Others may not: an SVG, for example, is a document with script.
type Kind struct {
	MIME   string
	begins string // ? matches any byte
	decode func(io.Reader) (image.Config, error)
}

// Kinds returns all kinds, by file extension.
func Kinds() map[string]Kind {
	return map[string]Kind{
		"png":  {"image/png", "\x89PNG\r\n\x1a\n", png.DecodeConfig},
		"jpeg": {"image/jpeg", "\xff\xd8\xff", jpeg.DecodeConfig},
		"gif":  {"image/gif", "GIF8?a", gif.DecodeConfig},
		"webp": {"image/webp", "RIFF????WEBP", webp.DecodeConfig},
	}
}

// Limits on images that a browser has to decode.
const (
	maxPixels = 40_000_000
	maxSide   = 16_384
)

// Check returns the kind of a picture, detected from its content; Invalid when it isn't one. The fault's message is the
// end of a sentence that begins with the name of the content: "is a damaged png image.".
func Check(content []byte) (format string, err error) {
	for format, kind := range Kinds() {
		if !kind.matches(content) {
			continue
		}
		config, err := kind.decode(bytes.NewReader(content))
		switch {
		case err != nil, config.Width < 1, config.Height < 1:
			return "", fault.Wrap(err, fault.Invalid, "is a damaged %s image.", format)
		case config.Width > maxSide, config.Height > maxSide, config.Width*config.Height > maxPixels:
			return "", fault.New(fault.Invalid, "has %d by %d pixels; the limits are 40 million pixels and 16,384 on a side.", config.Width, config.Height)
		}
		return format, nil
	}
	return "", fault.New(fault.Invalid, "isn't a PNG, JPEG, GIF or WebP image.")
}

func (kind Kind) matches(content []byte) bool {
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
