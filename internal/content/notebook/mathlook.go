package notebook

import (
	"strings"

	"golang.org/x/net/html"
)

// Browsers support only a core of MathML: other letter styles, table columns and boxes are left to Unicode and CSS. So
// attributes beyond the core become classes of the stylesheet.

// variantClasses are letter styles that CSS can produce.
var variantClasses = map[string]string{
	"bold": "bold", "italic": "italic", "bold-italic": "bold italic", "sans-serif": "sans", "bold-sans-serif": "bold sans",
	"sans-serif-italic": "italic sans", "sans-serif-bold-italic": "bold italic sans", "monospace": "mono",
}

// lettersOf are letter styles with separate characters in Unicode.
var lettersOf = map[string]func(rune) rune{
	"double-struck": letters(0x1d538, 0x1d552, 0x1d7d8, map[rune]rune{'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'}),
	"script": letters(0x1d49c, 0x1d4b6, 0, map[rune]rune{
		'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ',
	}),
	"fraktur": letters(0x1d504, 0x1d51e, 0, map[rune]rune{'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'}),
}

func letters(upper, lower, digits rune, older map[rune]rune) func(rune) rune {
	return func(r rune) rune {
		switch {
		case older[r] != 0:
			return older[r]
		case r >= 'A' && r <= 'Z':
			return upper + r - 'A'
		case r >= 'a' && r <= 'z':
			return lower + r - 'a'
		case r >= '0' && r <= '9' && digits != 0:
			return digits + r - '0'
		}
		return r
	}
}

// operators replaces characters that only MathJax's own fonts have, mostly for chemistry, and the bar over letters by the one
// that browsers stretch.
var operators = strings.NewReplacer(
	"\ue408", "⇌", "\ue409", "⇌", "\ue40a", "⇋", "\ue40b", "⇄", "\ue410", "┄", "\ue411", "≃", "\ue412", "≅", "\ue413", "≃",
	"\ue428", "←", "\ue429", "→", "\ue42a", "↔", "\ue42b", "⇄", "\ue42c", "←", "\ue42d", "→", "\ue42e", "↔",
	"―", "‾",
)

// mathClasses returns the classes of an element of a formula.
func mathClasses(node *html.Node) string {
	switch node.Data {
	case "menclose":
		notation := attribute(node, "notation")
		switch {
		case strings.Contains(notation, "strike"):
			return "struck"
		case strings.Contains(notation, "box"):
			return "boxed"
		}
	case "mtd":
		return strings.Join(cellClasses(node), " ")
	}
	return variantClasses[attribute(node, "mathvariant")]
}

// cellClasses returns the classes for the alignment, spacing and lines of a table cell in a formula.
func cellClasses(cell *html.Node) []string {
	row := cell.Parent
	if row == nil || row.Parent == nil || row.Parent.Data != "mtable" {
		return nil
	}
	table, column, line := row.Parent, before(cell), before(row)
	classes := []string{}
	if side := nth(table, "columnalign", column); side == "left" || side == "right" {
		classes = append(classes, side)
	}
	if column > 0 && nth(table, "columnspacing", column-1) == "0em" {
		classes = append(classes, "close-before")
	}
	if cell.NextSibling != nil && nth(table, "columnspacing", column) == "0em" {
		classes = append(classes, "close-after")
	}
	if cell.NextSibling != nil && isLine(nth(table, "columnlines", column)) {
		classes = append(classes, "line-after")
	}
	if row.NextSibling != nil && isLine(nth(table, "rowlines", line)) {
		classes = append(classes, "line-below")
	}
	return classes
}

func before(node *html.Node) int {
	count := 0
	for previous := node.PrevSibling; previous != nil; previous = previous.PrevSibling {
		count++
	}
	return count
}

// nth returns the value of a column or row: the last one of a list applies to all that follow.
func nth(node *html.Node, name string, n int) string {
	values := strings.Fields(attribute(node, name))
	if len(values) == 0 {
		return ""
	}
	return values[min(n, len(values)-1)]
}

func isLine(value string) bool { return value == "solid" || value == "dashed" }
