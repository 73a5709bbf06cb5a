package fair

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"cairn/internal/entries/catalog"
)

// oaiPlace is a place in a list. Tokens contain it, so this server keeps nothing of a harvest, and they don't expire.
type oaiPlace struct {
	Verb   string `json:"v"`
	Prefix string `json:"p"`
	Set    string `json:"s,omitempty"`
	From   string `json:"f,omitempty"`
	Until  string `json:"u,omitempty"`
	Stamp  int64  `json:"t"`  // of the last record, in microseconds since 1970
	ID     string `json:"id"` // likewise
	Cursor int64  `json:"c"`  // records before the place
}

// checkLength is how much of a digest a token has: it tells apart tokens of other catalogs and mistakes, and isn't a secret.
const checkLength = 6

func (p oaiPlace) token(public string) string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // plain values
	}
	sum := sha256.Sum256(append([]byte(public+"\n"), text...))
	return base64.RawURLEncoding.EncodeToString(append(sum[:checkLength:checkLength], text...))
}

func readPlace(token, public string) (place oaiPlace, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(token))
	if err != nil || len(text) <= checkLength {
		return place, false
	}
	if json.Unmarshal(text[checkLength:], &place) != nil {
		return place, false
	}
	return place, place.token(public) == strings.TrimSpace(token)
}

// query returns what a list asks the catalog; code and text are the protocol's error if it can't be asked.
func (p oaiPlace) query() (query catalog.AppearanceQuery, code, text string) {
	kind, ok := setNamed(p.Set)
	if !ok {
		return query, "noRecordsMatch", "There is no such set. ListSets names those that there are."
	}
	query.Type = kind
	var granularities []string
	for _, one := range []struct {
		text string
		end  bool
	}{{p.From, false}, {p.Until, true}} {
		if one.text == "" {
			continue
		}
		at, granularity, ok := moment(one.text, one.end)
		if !ok {
			return query, "badArgument", "Write dates like 2026-05-04 or 2026-05-04T12:00:00Z."
		}
		granularities = append(granularities, granularity)
		if one.end {
			query.Until = at
		} else {
			query.From = at
		}
	}
	switch {
	case len(granularities) == 2 && granularities[0] != granularities[1]:
		return query, "badArgument", "from and until must be written in the same way."
	case !query.From.IsZero() && !query.Until.IsZero() && query.Until.Before(query.From):
		return query, "badArgument", "until is before from."
	}
	if p.ID != "" {
		query.After = catalog.Appearance{ID: p.ID, Stamp: timeOf(p.Stamp)}
	}
	return query, "", ""
}
