package site

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// linkLimit is longer than any link that a person would put on a page.
const linkLimit = 500

// problem says what is wrong with a text, as the end of a sentence that begins with its name; "" when it is valid.
func (r rule) problem(value string) string {
	if form, ok := forms[r.check]; ok {
		return form(value)
	}
	switch {
	case r.check == "listed" && !slices.Contains(r.names, value):
		return fmt.Sprintf("is %q; it must be one of %s", value, strings.Join(r.names, ", "))
	case r.check == "listed":
		return ""
	case strings.TrimSpace(value) == "":
		return "is empty"
	case strings.TrimSpace(value) != value:
		return "begins or ends with a space"
	case strings.ContainsFunc(value, unicode.IsControl):
		return "must be one line without control characters"
	case utf8.RuneCountInString(value) > r.characters:
		return fmt.Sprintf("has %d characters; at most %d fit", utf8.RuneCountInString(value), r.characters)
	}
	return ""
}

// forms are the rules for the form of a text, by their words in the tags.
var forms = map[string]func(string) string{
	"link": linkProblem,
	"date": func(value string) string {
		_, err := time.Parse(time.DateOnly, value)
		return unless(err == nil, "must be a date written as YYYY-MM-DD")
	},
	"clock": func(value string) string {
		_, err := time.Parse("15:04", value)
		return unless(err == nil && len(value) == len("15:04"), "must be a time of the day written as HH:MM, such as 08:30")
	},
	"zone": func(value string) string {
		_, err := time.LoadLocation(value)
		return unless(err == nil && value != "" && value != "Local", "must be a time zone such as America/New_York or UTC")
	},
	"ror": func(value string) string {
		return unless(rorPattern.MatchString(value), "must be an address at ror.org, such as https://ror.org/05a28rw58")
	},
	"slug": func(value string) string {
		return unless(len(value) <= slugLimit && slugPattern.MatchString(value),
			"must be words of lowercase letters and digits with hyphens between them, at most 80 characters")
	},
}

var rorPattern = regexp.MustCompile(`^https://ror\.org/0[a-hj-km-np-tv-z0-9]{6}[0-9]{2}$`)

var slugPattern = regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

func unless(sound bool, problem string) string {
	if sound {
		return ""
	}
	return problem
}

// linkProblem allows https addresses and paths on this site. Browsers read "//host" and "/\host" as another site, and
// "/.//host" too if they follow the resolved path.
func linkProblem(value string) string {
	const expected = `must be an https:// address or a path of this site that begins with one "/"`
	unsafe := func(r rune) bool { return r == '\\' || unicode.IsSpace(r) || !unicode.IsGraphic(r) }
	if strings.ContainsFunc(value, unsafe) {
		return expected
	}
	if len(value) > linkLimit {
		return fmt.Sprintf("is longer than %d bytes", linkLimit)
	}
	address, err := url.Parse(value)
	switch {
	case err != nil:
		return expected
	case strings.HasPrefix(value, "/") && address.Host == "" && !strings.Contains(address.Path, "//"):
		return ""
	case address.Scheme == "https" && address.Hostname() != "" && address.User == nil:
		return ""
	}
	return expected
}

// containsNumber reports whether number occurs in text other than as part of a longer number.
func containsNumber(text, number string) bool {
	digit := func(at int) bool { return at >= 0 && at < len(text) && text[at] >= '0' && text[at] <= '9' }
	for from := 0; ; from++ {
		at := strings.Index(text[from:], number)
		if at < 0 {
			return false
		}
		from += at
		if !digit(from-1) && !digit(from+len(number)) {
			return true
		}
	}
}
