package catalog

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// cardLength is the maximum length of a card's description, in characters.
const cardLength = 280

// plainText converts Markdown to one line of plain text, at most limit characters long. Link targets and emphasis are
// removed, and so are the lines of tables; words stay. It is for readability, not for security: pages show the result as text.
func plainText(markdown string, limit int) string {
	var text strings.Builder
	length := 0 // in characters
	for line := range strings.Lines(markdown) {
		if row := strings.TrimSpace(line); strings.HasPrefix(row, "|") {
			if strings.Trim(row, "|-: ") == "" {
				continue
			}
			line = strings.ReplaceAll(row, "|", " ")
		}
		if strings.Contains(line, "](") {
			line = markdownLink.ReplaceAllString(line, "$1")
		}
		if strings.ContainsAny(line, "*_`#>") {
			line = markdownSigns.Replace(line)
		}
		for word := range strings.FieldsSeq(line) {
			if length > 0 {
				text.WriteByte(' ')
				length++
			}
			text.WriteString(word)
			if length += utf8.RuneCountInString(word); length > limit {
				cut := string([]rune(text.String())[:limit-1])
				if blank := strings.LastIndexByte(cut, ' '); blank > limit/2 {
					cut = strings.TrimRight(cut[:blank], ",;:")
				}
				return cut + "…"
			}
		}
	}
	return text.String()
}

var markdownLink = regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()]*\)`)

var markdownSigns = strings.NewReplacer("**", "", "__", "", "`", "", "#", "", "*", "", ">", "")
