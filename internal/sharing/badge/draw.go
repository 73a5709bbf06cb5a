package badge

import (
	"fmt"
	"html"
	"strings"
)

// Sizes of a drawn badge, in pixels.
const (
	height   = 20
	baseline = 14
	margin   = 6 // beside each text
	textSize = 11
)

const (
	colorOfLabel = "#3f4753"
	colorOfText  = "#ffffff"
)

// draw returns the badge as an SVG without styles, scripts and addresses, so that the strictest policy shows it whole.
// The texts have a set length: their boxes fit whichever font the reader has.
func draw(said content) []byte {
	label, message := width(said.Label), width(said.Message)
	left, right := label+2*margin, message+2*margin
	title := html.EscapeString(said.Label + " " + said.Message)
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img" aria-label="%s">`, left+right, height, title)
	fmt.Fprintf(&svg, `<title>%s</title>`, title)
	fmt.Fprintf(&svg, `<clipPath id="r"><rect width="%d" height="%d" rx="3"/></clipPath>`, left+right, height)
	fmt.Fprintf(&svg, `<g clip-path="url(#r)"><rect width="%d" height="%d" fill="%s"/>`, left, height, colorOfLabel)
	fmt.Fprintf(&svg, `<rect x="%d" width="%d" height="%d" fill="%s"/></g>`, left, right, height, said.Color)
	fmt.Fprintf(&svg, `<g fill="%s" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="%d">`, colorOfText, textSize)
	write := func(x, length int, text string) {
		fmt.Fprintf(&svg, `<text x="%d" y="%d" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text>`, x, baseline, length, html.EscapeString(text))
	}
	write(margin, label, said.Label)
	write(left+margin, message, said.Message)
	svg.WriteString("</g></svg>\n")
	return []byte(svg.String())
}

// width returns how many pixels wide a text is in Verdana at textSize, rounded up.
func width(text string) int {
	total := 0
	for _, letter := range text {
		total += advance(letter)
	}
	return (total*textSize + unitsPerEm - 1) / unitsPerEm
}

const unitsPerEm = 2048

// advances are the widths of the printable ASCII characters in Verdana, from the blank on.
var advances = [...]int{
	720, 806, 940, 1676, 1302, 2204, 1488, 550, 930, 930, 1302, 1676, 745, 930, 745, 930,
	1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 930, 930, 1676, 1676, 1676, 1117,
	2048, 1400, 1404, 1430, 1578, 1295, 1177, 1588, 1539, 862, 931, 1419, 1140, 1726, 1532, 1612,
	1235, 1612, 1424, 1400, 1262, 1499, 1400, 2025, 1403, 1260, 1403, 930, 930, 930, 1676, 1302,
	1302, 1230, 1276, 1067, 1276, 1220, 720, 1276, 1296, 562, 705, 1212, 562, 1992, 1296, 1243,
	1276, 1276, 874, 1067, 807, 1296, 1212, 1676, 1212, 1212, 1076, 1300, 930, 1300, 1676,
}

// firstWide is where the scripts of East Asia begin, with letters as wide as they are high.
const firstWide = 0x1100

func advance(letter rune) int {
	switch at := int(letter) - ' '; {
	case at >= 0 && at < len(advances):
		return advances[at]
	case letter >= firstWide:
		return unitsPerEm
	default:
		return 1400
	}
}
