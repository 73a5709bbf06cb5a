package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"cairn/bench/corpus"
)

// answer is the part of a page of entries that is checked.
type answer struct {
	Content []struct {
		ID, Name, Type, Privacy string
		StarCount               int
		Tags                    []tag
	}
	TotalElements int
	Facets        *struct {
		Types map[string]int
		Tags  []tag
	}
}

type tag struct{ Value string }

// checkAnswer reports whether an answer can be right: a fast but wrong answer must not count. Every search of the
// corpus has a match. The quick check reads the total; the thorough one decodes everything.
func checkAnswer(query corpus.Query, status int, body []byte, thorough bool) error {
	if status != http.StatusOK || totalOf(body) < 1 {
		return fmt.Errorf("%s was answered %d: %.300s", query.Path(), status, body)
	}
	if !thorough {
		return nil
	}
	var page answer
	err := json.Unmarshal(body, &page)
	if err == nil {
		err = checkPage(query, page)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", query.Path(), err)
	}
	return nil
}

var totalMember = []byte(`"totalElements":`)

// totalOf reads the total of an encoded page; -1 when there is none. Texts can't contain the member, because their
// quotation marks are escaped.
func totalOf(body []byte) int {
	_, rest, found := bytes.Cut(body, totalMember)
	if !found {
		return -1
	}
	total, err := strconv.Atoi(string(rest[:len(rest)-len(bytes.TrimLeft(rest, "0123456789"))]))
	if err != nil {
		return -1
	}
	return total
}

func checkPage(query corpus.Query, page answer) error {
	if page.TotalElements < 1 || len(page.Content) != min(corpus.PageSize, page.TotalElements) {
		return fmt.Errorf("%d entries on the page, %d in total", len(page.Content), page.TotalElements)
	}
	seen := map[string]bool{}
	for _, entry := range page.Content {
		if seen[entry.ID] {
			return errors.New("an entry stands there twice")
		}
		seen[entry.ID] = true
		if entry.Privacy != "PUBLIC" {
			return errors.New("a private entry is shown to strangers")
		}
		if query.Type != "" && entry.Type != query.Type {
			return fmt.Errorf("a %s among entries of type %s", entry.Type, query.Type)
		}
		if query.Tag != "" && !slices.Contains(entry.Tags, tag{query.Tag}) {
			return fmt.Errorf("%q lacks the tag", entry.Name)
		}
	}
	if query.Class == corpus.Exact && corpus.Fold(page.Content[0].Name) != corpus.Fold(query.Text) {
		return fmt.Errorf("the first entry is %q", page.Content[0].Name)
	}
	if !query.Facets {
		return nil
	}
	if page.Facets == nil || len(page.Facets.Tags) == 0 {
		return errors.New("there are no facets")
	}
	sum := 0
	for _, count := range page.Facets.Types {
		sum += count
	}
	if sum != page.TotalElements {
		return fmt.Errorf("the types add up to %d of %d", sum, page.TotalElements)
	}
	return nil
}
