package archives

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"cairn/internal/foundation/fault"
)

const doiLimit = 200

var doiPattern = regexp.MustCompile(`^(?i:(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/[^\s"<>]+)$`)

// ParseDOI returns the identifier in a text, with doi: before it, or in an address of doi.org, also with its characters
// escaped as in addresses; "" if there is none.
func ParseDOI(text string) string {
	text = strings.TrimSpace(text)
	if unescaped, err := url.PathUnescape(text); err == nil {
		text = strings.TrimSpace(unescaped)
	}
	found := doiPattern.FindStringSubmatch(text)
	if found == nil || len(found[1]) > doiLimit || found[1] != printable(found[1]) {
		return ""
	}
	for element := range strings.SplitSeq(found[1], "/") {
		if element == "." || element == ".." { // which would be another address
			return ""
		}
	}
	return found[1]
}

// printable drops what changes how the text around it is shown.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// handle is the answer of doi.org about a DOI: https://www.doi.org/the-identifier/resources/factsheets/doi-resolution-documentation
type handle struct {
	Values []struct {
		Type string `json:"type"`
		Data struct {
			Value any `json:"value"`
		} `json:"data"`
	} `json:"values"`
}

// resolve returns where a DOI leads to. That address is never asked itself.
func (r *Records) resolve(ctx context.Context, doi string) (*url.URL, error) {
	elements := strings.Split(doi, "/")
	for i, one := range elements {
		elements[i] = url.PathEscape(one)
	}
	var found handle
	err := r.get(ctx, r.doi, "/api/handles/"+strings.Join(elements, "/"), &found)
	if isMissing(err) {
		return nil, fault.New(fault.NotFound, "There is no DOI %s.", fault.Quote(doi))
	}
	if err != nil {
		return nil, err
	}
	for _, one := range found.Values {
		text, isText := one.Data.Value.(string)
		if one.Type != "URL" || !isText {
			continue
		}
		if target, err := url.Parse(strings.TrimSpace(text)); err == nil && target.Hostname() != "" {
			return target, nil
		}
	}
	return nil, fault.New(fault.Invalid, "The DOI %s leads to no web page.", fault.Quote(doi))
}
