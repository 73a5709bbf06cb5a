package cover

import (
	"fmt"
	"image/color"
	"math"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
)

// languagesShown is how many languages have a bar of their own; the bar of the others comes last.
const languagesShown = 4

// longestLanguage bounds a language's name, in letters.
const longestLanguage = 24

// languages draws a bar for each of the languages with most code, as long as its share of all code.
func languages(r catalog.Entry, found []codehost.Language) drawing {
	tone := toneOf(r)
	result := drawing{ground: tone.tint}
	total, rest := 0.0, 0.0
	for i, one := range found {
		total += float64(one.Bytes)
		if i >= languagesShown {
			rest += float64(one.Bytes)
		}
	}
	shares := []float64{}
	names := []string{}
	for _, one := range found[:min(len(found), languagesShown)] {
		names, shares = append(names, shortened(one.Name)), append(shares, float64(one.Bytes)/total)
	}
	if rest > 0 {
		names, shares = append(names, "Other"), append(shares, rest/total)
	}
	const left, right, rowHeight, barHeight = 120, 680, 72, 16
	top := (drawingHeight - float64(len(names)*rowHeight)) / 2
	for i, name := range names {
		line, bar := top+float64(i*rowHeight)+labelSize, top+float64(i*rowHeight)+labelSize+12
		result.labels = append(result.labels, label{text: name, at: point{left, line}}, label{text: percent(shares[i]), at: point{right, line}, ends: true})
		result.shapes = append(result.shapes,
			box(between(tone.tint, tone.base, 0.22), left, bar, right-left, barHeight),
			box(tone.base, left, bar, max(4, shares[i]*(right-left)), barHeight))
	}
	return result
}

func shortened(name string) string {
	if letters := []rune(name); len(letters) > longestLanguage {
		return string(letters[:longestLanguage-1]) + "…"
	}
	return name
}

func percent(share float64) string {
	if share < 0.01 {
		return "< 1%"
	}
	return fmt.Sprintf("%.0f%%", math.Floor(100*share))
}

func box(fill color.RGBA, x, y, width, height float64) shape {
	s := shape{color: fill, begin: point{x, y}}
	s.line(point{x + width, y})
	s.line(point{x + width, y + height})
	s.line(point{x, y + height})
	return s
}
