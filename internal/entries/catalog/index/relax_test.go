package index

import (
	"slices"
	"strings"
	"testing"
)

func TestSmallWords(t *testing.T) {
	t.Parallel()
	ix, names := small(t, "Folding of proteins", "Folding the proteins", "Proteins", "Of theta waves")
	for text, want := range map[string]string{
		"folding of the protein": "Folding of proteins, Folding the proteins",
		"what folding the prot":  "Folding the proteins, Folding of proteins",
		"of the":                 "Of theta waves, Folding the proteins", // the last word may be the beginning of another
		"folding of":             "Folding of proteins",
		`"folding of" the prot`:  "Folding of proteins", // exact words are exact
		"whatever proteins":      "Folding of proteins, Folding the proteins, Proteins",
	} {
		got, hint := found(t, ix, names, text)
		if hint == nil {
			slices.Sort(got[min(1, len(got)):])
		} else {
			slices.Sort(got)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q finds %q, want %q", text, strings.Join(got, ", "), want)
		}
	}
}

func TestRelaxed(t *testing.T) {
	t.Parallel()
	ix, names := small(
		t, "Mouse brain atlas", "Mouse cortex", "Brain atlas|||", "!Hidden zebra|||eve@example.org", "Rat brain", "Tagged rat||cells",
	)
	for text, want := range map[string]struct{ found, dropped string }{
		"mouse brain atlas viewer":    {"Mouse brain atlas", "viewer"},
		"mouse brain cortex":          {"Mouse brain atlas, Mouse cortex", "brain"}, // the rarest words are kept
		"zebra atlas brain":           {"Brain atlas, Mouse brain atlas", "zebra"},
		"nothing of all this":         {"", ""},
		"qqq www mouse":               {"", ""}, // most of them are missing
		"tag:cells rat nonsense":      {"Tagged rat", "nonsense"},
		"rat viewer -brown":           {"Rat brain, Tagged rat", "viewer"},
		"how is the rat viewer":       {"Rat brain, Tagged rat", "viewer"}, // small words aren't named
		`"mouse brain" atlas viewer`:  {"Mouse brain atlas", "viewer"},     // exact words are never left out
		`"mouse cortex" rat nonsense`: {"", ""},
	} {
		got, hint := found(t, ix, names, text)
		dropped := ""
		if hint != nil && hint.Kind == HintRelaxed {
			dropped = strings.Join(hint.Words, " ")
		}
		if slices.Sort(got); strings.Join(got, ", ") != want.found || dropped != want.dropped {
			t.Errorf("%q finds %q without %q, want %q without %q", text, strings.Join(got, ", "), dropped, want.found, want.dropped)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	ix, names := small(
		t, "Cell firing in mice||a", "Mice|unlike work on place cells, about firing", "Place cells of mice||a", "Place cells", "Elsewhere|||", "Rats||a", "Firing",
	)
	for text, want := range map[string]struct {
		found string
		whole int
		words string
	}{
		"how do place cells fire in mice": {"Mice, Cell firing in mice, Place cells of mice", 1, "place"},
		"place cells fire mice tag:a":     {"Place cells of mice, Cell firing in mice", 0, "fire"},
		"cells fire mice":                 {"Cell firing in mice, Mice", 0, ""}, // three words say what is meant
		"place cells of mice":             {"Place cells of mice, Mice", 0, ""},
		`place cells firing "mice"`:       {"Mice", 0, ""},
		"place cells of mice tutorial":    {"Place cells of mice, Mice", 0, "tutorial"},
	} {
		got, hint := found(t, ix, names, text)
		if hint == nil {
			hint = &Hint{}
		}
		if words := strings.Join(hint.Words, " "); strings.Join(got, ", ") != want.found || hint.Whole != want.whole || words != want.words {
			t.Errorf("%q finds %q, %d of them whole, without %q; want %+v", text, strings.Join(got, ", "), hint.Whole, words, want)
		}
	}
}

func TestCountsOfSentences(t *testing.T) {
	t.Parallel()
	entries := []string{"Cell firing in mice||rare", "Place cells of mice||rare"}
	for number := range enough {
		tag := "common"
		if number == 0 {
			tag = "common;rare"
		}
		entries = append(entries, "Mice|unlike work on place cells, about firing|"+tag)
	}
	for _, size := range []int{len(entries), len(entries) - 1} {
		ix, _ := small(t, entries[:size]...)
		query := Query{Text: "how do place cells fire in mice", Limit: 20, Facets: true}
		all, err := ix.Search(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if relaxed := all.Hint != nil; relaxed != (size < len(entries)) || len(all.Facets.Tags) != 2 {
			t.Errorf("%d entries with all words: hint %+v, tags %v", size-2, all.Hint, all.Facets.Tags)
		}
		for _, tag := range all.Facets.Tags {
			query.Tags = []string{tag.Value}
			if under, err := ix.Search(t.Context(), query); err != nil || under.Total != tag.Count {
				t.Errorf("%d entries with all words: the tag %s has %d, its count is %d (%v)", size-2, tag.Value, under.Total, tag.Count, err)
			}
		}
	}
}

func TestWordsThatAreNowhere(t *testing.T) {
	t.Parallel()
	ix, names := small(t, "Imaging of mice", "!Calcium waves|||eve@example.org", "Place cells|of rats", "NAMD Workshop")
	for text, want := range map[string]string{
		"calcium imaging":        "calcium", // only a hidden entry has it
		"place cells of monkeys": "monkeys",
		"hippocampus":            "hippocampus",
		"the hippocampus ca1":    "hippocampus ca1",
		"imaging rats":           "", // each is somewhere
		"name:nothing":           "name nothing",
		"-place":                 "",
		"rats imagging":          "", // corrected, and then nothing has both
	} {
		_, hint := found(t, ix, names, text)
		got := ""
		if hint != nil {
			got = strings.Join(hint.Nowhere, " ")
		}
		if got != want {
			t.Errorf("%q: %q are nowhere, want %q", text, got, want)
		}
	}
}
