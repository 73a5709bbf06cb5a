package fair

import (
	"mime"
	"slices"
	"strconv"
	"strings"
)

// accepted is a part of an Accept header.
type accepted struct {
	kind    string // as in text/html, text/* or */*
	profile string
	quality float64
}

// parseAccept reads an Accept header. What can't be read is left out, as browsers' own mistakes would be.
func parseAccept(header string) (list []accepted) {
	for _, part := range unquotedFields(header, ',') {
		kind, parameters, err := mime.ParseMediaType(part)
		if err != nil || !strings.Contains(kind, "/") {
			continue
		}
		one := accepted{kind, parameters["profile"], 1}
		if text, given := parameters["q"]; given {
			if one.quality, err = strconv.ParseFloat(text, 64); err != nil || !(one.quality >= 0 && one.quality <= 1) { // which NaN isn't either
				continue
			}
		}
		list = append(list, one)
	}
	return list
}

// unquotedFields divides a text at a separator outside of quotes.
func unquotedFields(text string, separator byte) (fields []string) {
	quoted, begin := false, 0
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == separator && !quoted:
			fields = append(fields, strings.TrimSpace(text[begin:i]))
			begin = i + 1
		}
	}
	return append(fields, strings.TrimSpace(text[begin:]))
}

// closeness says how well a media type fits an accepted one: 0 not at all, more for a more exact one.
func (w accepted) closeness(kind, profile string) int {
	switch main, _, _ := strings.Cut(kind, "/"); {
	case w.kind == kind && w.profile != "" && profile != "":
		if slices.ContainsFunc(strings.Fields(w.profile), func(one string) bool { return one == profile || strings.HasPrefix(one, profile+"/") }) {
			return 4
		}
		return 0
	case w.kind == kind && w.profile == "" && profile == "":
		return 3
	case w.kind == kind && profile != "":
		return 0 // whoever names no profile means the form without one
	case w.kind == kind:
		return 1 // a profile that no form has: the plain one is nearest
	case w.kind == main+"/*":
		return 2
	case w.kind == "*/*":
		return 1
	}
	return 0
}

// preference is how much a client wants a media type: the quality of the accepted type that fits it best, and how well that fits.
type preference struct {
	quality float64
	fit     int
}

func preferenceFor(list []accepted, kind, profile string) (best preference) {
	for _, one := range list {
		if fit := one.closeness(kind, profile); fit > best.fit {
			best = preference{one.quality, fit}
		}
	}
	return best
}

func (l preference) exceeds(other preference) bool {
	return l.quality > other.quality || (l.quality == other.quality && l.quality > 0 && l.fit > other.fit)
}

// chooseForm returns the form that an Accept header asks for; page for the page itself. ok is false if nothing fits. Whoever
// likes the page as well as anything else gets the page, as does whoever asks for nothing, or for nothing that can be read.
func chooseForm(header string, from []form) (chosen form, page, ok bool) {
	list := parseAccept(header)
	if len(list) == 0 {
		return form{}, true, true
	}
	best := preferenceFor(list, "text/html", "")
	if other := preferenceFor(list, "application/xhtml+xml", ""); other.exceeds(best) {
		best = other
	}
	page = best.quality > 0
	for _, one := range from {
		for _, kind := range append([]string{one.Type}, one.Aliases...) {
			if wanted := preferenceFor(list, kind, one.Profile); wanted.exceeds(best) {
				chosen, best, page = one, wanted, false
			}
		}
	}
	return chosen, page, best.quality > 0
}
