// Package raster tells by their content which pictures a browser may be given: those of a few kinds that cannot hold
// script, and of a size that can be unpacked. It lies on floor 1: it knows nothing of where pictures come from.
package raster

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

// Kind is a kind of picture that is shown. No other is: an SVG, for one, is a document with script.
type Kind struct {
	MIME   string
	begins string // ? stands for any byte
	decode func(io.Reader) (image.Config, error)
}

// Kinds are all kinds, by the endings of their files.
func Kinds() map[string]Kind {
	return map[string]Kind{
		"png":  {"image/png", "\x89PNG\r\n\x1a\n", png.DecodeConfig},
		"jpeg": {"image/jpeg", "\xff\xd8\xff", jpeg.DecodeConfig},
		"gif":  {"image/gif", "GIF8?a", gif.DecodeConfig},
		"webp": {"image/webp", "RIFF????WEBP", webp.DecodeConfig},
	}
}

// Bounds of what a browser has to unpack.
const (
	maxPixels = 40_000_000
	maxSide   = 16_384
)

// Check tells what kind of picture a content is, by itself, whatever its source calls it; Invalid when it is none. The
// fault's message is the end of a sentence, which begins with what the content is called: "is a damaged png image.".
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
			return "", fault.New(fault.Invalid, "has %d by %d pixels; 40 million may be, and 16,384 on a side.", config.Width, config.Height)
		}
		return format, nil
	}
	return "", fault.New(fault.Invalid, "is no PNG, JPEG, GIF or WebP image.")
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
