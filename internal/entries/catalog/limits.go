package catalog

import (
	"strings"
	"unicode/utf8"
)

// Limits of the fields of an entry, in characters unless noted.
const (
	NameLimit        = 200
	DescriptionLimit = 20_000
	TagLimit         = 60
	TagsLimit        = 30 // tags of one entry
	AuthorsLimit     = 100
	addressLimit     = 2_000
)

// CheckName returns what is wrong with the name of an entry, project or session: 1 to 200 characters of any script on
// one line; "" if nothing is.
func CheckName(name string) string {
	if !validLength(name) {
		return "must be 1 to 200 characters"
	}
	if !ValidText(name, false) || strings.ContainsFunc(name, changesDirection) {
		return "must be one line of text without control characters"
	}
	return ""
}

// CheckAuthors checks the number of authors.
func CheckAuthors(count int) string {
	switch {
	case count == 0:
		return "at least one e-mail address is needed"
	case count > AuthorsLimit:
		return "can't name more than 100 people"
	}
	return ""
}

// ValidText reports whether a text is UTF-8 without control characters; several lines and tabs may be allowed.
func ValidText(text string, lines bool) bool {
	if !utf8.ValidString(text) {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		if lines && (r == '\n' || r == '\r' || r == '\t') {
			return false
		}
		return r < ' ' || (r >= 0x7f && r < 0xa0)
	})
}

// changesDirection reports whether a character turns the direction in which others are shown, so that a name reads as
// another one. The marks that Arabic and Hebrew names need are not among them.
func changesDirection(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

func validLength(name string) bool {
	length := utf8.RuneCountInString(name)
	return length >= 1 && length <= NameLimit
}
