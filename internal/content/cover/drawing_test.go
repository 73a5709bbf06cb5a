package cover

import (
	"image/color"
	"testing"

	"cairn/internal/entries/catalog"
)

func TestTypesHaveTheColorsOfThePage(t *testing.T) {
	black, seen := color.RGBA{A: 255}, map[color.RGBA]bool{}
	for _, kind := range append(catalog.Types[:], "OTHER") {
		tone := toneOf(catalog.Entry{Type: kind})
		if tone.base == black || tone.ink == black || tone.tint == black || seen[tone.base] {
			t.Errorf("%s: %+v", kind, tone)
		}
		seen[tone.base] = true
	}
	if got := toneOf(catalog.Entry{Type: "NEW"}); got != tones["OTHER"] {
		t.Errorf("a type that nobody knows: %+v", got)
	}
	if got := pageColor("ink"); got == black {
		t.Error("the ink is black")
	}
}
