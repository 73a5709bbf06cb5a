package catalog

import (
	"context"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"cairn/internal/entries/catalog/index"
)

// Lengths of excerpts, in characters.
const (
	excerptLength = 200
	excerptBefore = 40 // before the first mark
)

// highlight adds to answers what matches a search.
func (s *Service) highlight(ctx context.Context, matcher *index.Matcher, answers []Resource) error {
	for i := range answers {
		answers[i].Matched = matchesIn(matcher, answers[i].Entry())
	}
	return s.highlightContent(ctx, matcher, answers)
}

// matchesIn returns what of an entry matches.
func matchesIn(matcher *index.Matcher, r *Entry) []Match {
	var found []Match
	add := func(field, text string, marks []index.Mark) {
		if marks != nil {
			found = append(found, Match{field, text, marks})
		}
	}
	add("name", r.Name, matcher.NameMarks(r.Name))
	text, marks := r.listed.card, matcher.Marks(r.listed.card)
	if marks == nil {
		text = plainText(r.Description, utf8.RuneCountInString(r.Description)+1)
		marks = matcher.Marks(text)
	}
	text = excerpt(text, marks)
	add("description", text, matcher.Marks(text))
	for _, tag := range r.Tags {
		add("tags", tag.Value, matcher.Marks(tag.Value))
	}
	for _, person := range r.People {
		add("authors", person.Name, matcher.Marks(person.Name))
	}
	for _, email := range r.Authors {
		add("authors", email, matcher.Marks(email))
	}
	return found
}

// highlightContent adds what matches in the content of entries in which nothing else does.
func (s *Service) highlightContent(ctx context.Context, matcher *index.Matcher, answers []Resource) error {
	var ids []string
	for i := range answers {
		if len(answers[i].Matched) == 0 {
			ids = append(ids, answers[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	contents, err := s.store.Contents(ctx, ids)
	for i := range answers {
		if text := contents[answers[i].ID]; text != "" {
			text = excerpt(text, matcher.Marks(text))
			if marks := matcher.Marks(text); marks != nil {
				answers[i].Matched = append(answers[i].Matched, Match{"content", text, marks})
			}
		}
	}
	return err
}

// excerpt returns the part of a text around the first mark; all of a short text.
func excerpt(text string, marks []index.Mark) string {
	letters := []rune(text)
	if marks == nil || len(letters) <= excerptLength {
		return text
	}
	first := 0
	for units := 0; units < marks[0][0]; first++ {
		units += utf16.RuneLen(letters[first])
	}
	begin := max(0, first-excerptBefore)
	if blank := slices.Index(letters[begin:first], ' '); begin > 0 && blank >= 0 {
		begin += blank + 1
	}
	end := min(len(letters), begin+excerptLength-2) // with room for two ellipses
	for cut := end; end < len(letters) && cut > first; cut-- {
		if letters[cut] == ' ' {
			end = cut
			break
		}
	}
	part := string(letters[begin:end])
	if begin > 0 {
		part = "…" + part
	}
	if end < len(letters) {
		part += "…"
	}
	return part
}
