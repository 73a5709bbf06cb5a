package comparator

import (
	"regexp"
	"strings"
)

// sequences are what terminals obey and don't show: colors, titles of windows, moves of the cursor.
var sequences = regexp.MustCompile("\x1b\\[[0-9;:?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[@-Z\\\\^_]")

// erased stands for ESC [K until the line is written.
const erased = '\x00'

// onScreen returns what a terminal shows of a text: carriage returns and backspaces make later characters overwrite
// earlier ones. Spaces at the ends of lines are dropped.
func onScreen(text string) []string {
	if strings.IndexByte(text, '\x1b') >= 0 {
		text = strings.NewReplacer("\x00", "", "\x1b[K", "\x00", "\x1b[0K", "\x00", "\x1b[2K", "\x00").Replace(text)
		text = sequences.ReplaceAllString(text, "")
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		if strings.ContainsAny(line, "\r\b\x00") {
			line = overwritten(line)
		}
		lines[i] = strings.TrimRight(line, " \t\r\f\v")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func overwritten(line string) string {
	var screen []rune
	column := 0
	for _, r := range line {
		switch r {
		case '\r':
			column = 0
		case '\b':
			column = max(column-1, 0)
		case erased:
			screen = screen[:min(column, len(screen))]
		default:
			if column < len(screen) {
				screen[column] = r
			} else {
				screen = append(screen, r)
			}
			column++
		}
	}
	return string(screen)
}
