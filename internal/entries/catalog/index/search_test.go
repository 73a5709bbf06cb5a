package index

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// small creates an index of entries, each "name | description | tags | author", private with a leading "!".
func small(t *testing.T, entries ...string) (ix *Index, names map[string]string) {
	t.Helper()
	ix = New(testTypes)
	names = map[string]string{}
	for number, entry := range entries {
		parts := append(strings.Split(entry, "|"), "", "", "")
		private := strings.HasPrefix(entry, "!")
		document := Document{
			ID: uuid.NewString(), Type: "DATASET", Name: strings.TrimPrefix(parts[0], "!"), Description: parts[1],
			Authors: []string{"ada@example.org"}, Private: private, CreatedAt: time.UnixMicro(int64(number)),
		}
		for value := range strings.SplitSeq(parts[2], ";") {
			if value != "" {
				document.Tags = append(document.Tags, Tag{ID: "id of " + value, Value: value})
			}
		}
		if parts[3] != "" {
			document.Authors = []string{parts[3]}
		}
		names[document.ID] = document.Name
		ix.Apply([]string{document.ID}, []Document{document})
	}
	return ix, names
}

func TestFieldsAndQuotes(t *testing.T) {
	t.Parallel()
	ix, names := small(
		t,
		"Alpha|deep brain stimulation|neuro;md, namd|ann.lee@example.org",
		"Beta|brain deep|neuro|bob@example.org",
		"TorchBrain data|of deep brains|Über|ann@other.example",
		"tag neuro|words alone||bob@example.org",
		`Said "so"|||bob@example.org`,
		"!Hidden|deep brain|secret|eve@example.org",
	)
	for text, want := range map[string]string{
		`tag:neuro`:                    "Alpha, Beta",
		`TAG:NEURO`:                    "Alpha, Beta",
		`tag:"md, namd"`:               "Alpha",
		`tag:uber`:                     "TorchBrain data",
		`tag:neuro deep`:               "Alpha, Beta",
		`deep tag:neuro beta`:          "Beta",
		`tag:nothing`:                  "", // no such tag: searched as words, which nothing has
		`tag: neuro`:                   "tag neuro",
		`tag:neuro tag:"md, namd"`:     "Alpha",
		`type:dataset alpha`:           "Alpha",
		`type:notebook`:                "",
		`type:nonsense`:                "",
		`author:ann`:                   "Alpha, TorchBrain data",
		`author:ann.lee`:               "Alpha",
		`author:bob@example.org`:       "Beta, Said \"so\", tag neuro",
		`author:nobody`:                "",
		`"deep brain"`:                 "Alpha",
		`"brain deep"`:                 "Beta",
		`"deep brai"`:                  "", // exact words are whole
		`"deep brain" alp`:             "Alpha",
		`"torch brain"`:                "TorchBrain data",
		`"torchbrain data"`:            "TorchBrain data",
		`"brain data"`:                 "TorchBrain data",
		`said "so"`:                    "Said \"so\"",
		`"deep brain`:                  "Alpha, Beta, TorchBrain data", // no second quote: words, the last one as a prefix
		`http://tag:neuro`:             "tag neuro",                    // without http, which nothing has
		`tag:secret`:                   "",                             // as if there were no such tag
		`author:eve`:                   "",
		`other:alpha`:                  "Alpha, TorchBrain data", // of one of the words each: "other" is in an address
		`"" alpha`:                     "Alpha",
		`"` + strings.Repeat("x", 900): "",
	} {
		result, err := ix.Search(t.Context(), Query{Text: text, Limit: 10, Sort: SortName})
		if err != nil {
			t.Fatal(err)
		}
		found := make([]string, len(result.IDs))
		for i, id := range result.IDs {
			found[i] = names[id]
		}
		if got := strings.Join(found, ", "); got != want {
			t.Errorf("%s finds %q, want %q", text, got, want)
		}
	}
}

// What only hidden entries have must not show in what a search does: neither by a filter nor by a correction.
func TestHiddenEntriesLeaveNoTrace(t *testing.T) {
	t.Parallel()
	with, _ := small(t, "tag secret", "words of eve", "!Hidden|cryptic|secret|eve@example.org")
	without, _ := small(t, "tag secret", "words of eve")
	for _, text := range []string{"tag:secret", "author:eve", "cryptik", "cryptic", "hiden", `"cryptic"`, "cry", "hidd"} {
		a, err := with.Search(t.Context(), Query{Text: text, Limit: 10, Facets: true, Email: "stranger@example.org"})
		if err != nil {
			t.Fatal(err)
		}
		b, err := without.Search(t.Context(), Query{Text: text, Limit: 10, Facets: true, Email: "stranger@example.org"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Total != b.Total || corrected(a) != corrected(b) || len(a.Facets.Tags) != len(b.Facets.Tags) {
			t.Errorf("%s: %+v with the hidden entry, %+v without", text, a, b)
		}
	}
	if tags := with.Tags("stranger@example.org", nil); len(tags) != 0 {
		t.Errorf("tags %v", tags)
	}
	if tags := with.Tags("eve@example.org", nil); len(tags) != 1 || tags[0] != (TagCount{ID: "id of secret", Value: "secret", Count: 1}) {
		t.Errorf("its author sees tags %v", tags)
	}
	if result, _ := with.Search(t.Context(), Query{Text: "cryptik", Limit: 1, Email: "eve@example.org"}); corrected(result) != "cryptic" {
		t.Errorf("its author is corrected to %q", corrected(result))
	}
}

// gone is the context of a caller who left while the search was at work.
type gone struct{ context.Context }

func (gone) Err() error { return context.Canceled }

func TestCorrectionEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	ix, _ := small(t, "Brain atlas")
	if result, err := ix.Search(gone{t.Context()}, Query{Text: "brian", Limit: 1}); err == nil {
		t.Errorf("Nobody waits for %+v", result)
	}
}

// corrected returns the text without typing errors that a search was made for; "" when it was made as typed.
func corrected(result Result) string {
	if result.Hint == nil || result.Hint.Kind != HintCorrected {
		return ""
	}
	return result.Hint.Text
}

func TestCorrected(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 11)
	ix, _ := small(t, "Brain atlas|of neurons", "Brain waves", "Train tickets", "Über Neuronen", "細胞の画像|脳波解析", "Copper kettle, spoon, ladle", long)
	for text, want := range map[string]string{
		"brian":         "brain",       // neighbors exchanged
		"brrain":        "brain",       // one more
		"bain":          "brain",       // one less
		"vrain":         "brain",       // one other; brain is in more entries than train
		"brian atlas":   "brain atlas", // what is right stays
		"brian zzzzzz":  "",            // the other word is not near anything
		"brain tickets": "",            // both are there, though not together
		"brian tickets": "",            // corrected it would find nothing
		"bra":           "",            // it matches
		"xra":           "",            // too short to tell
		"brzzn":         "",            // two edits away
		"neuromen":      "neuronen",
		"脳波解折":          "脳波解析",
		"tiket":         "tickets", // one letter from its singular

		"coper ketle spon ladle":  "copper kettle spoon ladle",
		"coper ketle spon laddle": "", // too much is wrong
		"x" + long[1:]:            "", // too long to be a word
	} {
		result, err := ix.Search(t.Context(), Query{Text: text, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		if corrected(result) != want || (want != "") != (result.Total > 0 && corrected(result) != "") {
			t.Errorf("%s: corrected to %q with %d, want %q", text, corrected(result), result.Total, want)
		}
	}
}

func TestRanking(t *testing.T) {
	t.Parallel()
	ix, names := small(
		t,
		"Z|neuron", "Y|neuron neuron neuron",
		"T||neuron", "The neuron", "Neuron b", "Neuron a", "NEURON", "Interneurons", "neuron",
	)
	result, err := ix.Search(t.Context(), Query{Text: "neuron", Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(result.IDs))
	for i, id := range result.IDs {
		got[i] = names[id]
	}
	// Exactly this name, newest first; beginning with it, by name; then name before tag before description before a part of a name.
	want := []string{"neuron", "NEURON", "Neuron a", "Neuron b", "The neuron", "T", "Y", "Z", "Interneurons"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestSearchGivesWayWhenItsCallerIsGone(t *testing.T) {
	t.Parallel()
	ix, _ := small(t, "one")
	for range cap(ix.slots) {
		ix.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ix.Search(ctx, Query{Limit: 1}); err == nil {
		t.Error("it searched though all slots are taken and nobody waits")
	}
}

// Characters that aren't letters but fold to some are parts of words, so that words of names are also found by their
// parts.
func TestPartsOfNames(t *testing.T) {
	t.Parallel()
	ix, names := small(
		t,
		"CO₂ levels|||", "Deep Neural-networks for brains|||", "deepNeural networkX|||", "½ cell, 10 µm|||", "x-1|||", "--==|||", "神经网络模型|||",
	)
	for text, want := range map[string]string{
		"co2": "CO₂ levels", "o2 lev": "CO₂ levels", "eur": "Deep Neural-networks for brains, deepNeural networkX",
		"eural-net": "Deep Neural-networks for brains", "eural networkx": "deepNeural networkX", "pneu": "deepNeural networkX",
		"ep neural-networks for br": "Deep Neural-networks for brains", "2 ce": "½ cell, 10 µm", "0 μ": "½ cell, 10 µm",
		"-1": "½ cell, 10 µm, x-1", "x-1": "x-1", "-==": "--==", "网络模": "神经网络模型", "络": "神经网络模型", "eural-networks for bone": "", "-=-": "",
	} {
		found, err := ix.Search(t.Context(), Query{Text: text, Limit: 10, Sort: SortName})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range found.IDs {
			if found.Hint == nil {
				got = append(got, names[id])
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q found %q, want %q", text, strings.Join(got, ", "), want)
		}
	}
}

// found searches for a text and returns the names of the entries, in order.
func found(t *testing.T, ix *Index, names map[string]string, text string) (list []string, hint *Hint) {
	t.Helper()
	result, err := ix.Search(t.Context(), Query{Text: text, Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range result.IDs {
		list = append(list, names[id])
	}
	return list, result.Hint
}

// However people write it: each of these texts finds the entry, without a hint.
func TestSpellings(t *testing.T) {
	t.Parallel()
	ix, names := small(
		t, "AlphaFold2 structures", "alpha-fold-2 weights", "AlphaFold 2 tutorial", "Alpha Fold maps", "CO₂ fluxes", "ResNet50", "ResNet-50 baseline",
		"TNF-α in mice", "TNFα assays", "beta amyloid", "β-amyloid plaques", "Straßenlärm", "Søren's œuvre", "Michaelis–Menten kinetics",
		"Protein folding", "Hippocampal neurons", "A neuron of the hippocampus", "ﬁeld ｍａｐｓ", "hyphen\u00adation", "µm rulers", "Studies of mice", "Ray tracing",
	)
	for text, wanted := range map[string][]string{
		"AlphaFold 2":       {"AlphaFold2 structures", "alpha-fold-2 weights", "AlphaFold 2 tutorial"},
		"alphafold2":        {"AlphaFold2 structures", "alpha-fold-2 weights", "AlphaFold 2 tutorial"},
		"alpha-fold-2":      {"AlphaFold2 structures", "alpha-fold-2 weights", "AlphaFold 2 tutorial"},
		"alpha fold":        {"AlphaFold2 structures", "alpha-fold-2 weights", "AlphaFold 2 tutorial", "Alpha Fold maps"},
		"CO2":               {"CO₂ fluxes"},
		"co₂":               {"CO₂ fluxes"},
		"resnet 50":         {"ResNet50", "ResNet-50 baseline"},
		"ResNet50":          {"ResNet50", "ResNet-50 baseline"},
		"res-net-50":        {"ResNet50", "ResNet-50 baseline"},
		"tnf alpha":         {"TNF-α in mice", "TNFα assays"},
		"TNF‑α":             {"TNF-α in mice", "TNFα assays"},
		"β amyloid":         {"beta amyloid", "β-amyloid plaques"},
		"beta-amyloid":      {"beta amyloid", "β-amyloid plaques"},
		"strasse":           {"Straßenlärm"},
		"soren oeuvre":      {"Søren's œuvre"},
		"michaelis-menten":  {"Michaelis–Menten kinetics"},
		"michaelismenten":   {"Michaelis–Menten kinetics"},
		"fold prot":         {"Protein folding"},
		"folded proteins":   {"Protein folding"},
		"hippocamp neuron":  {"Hippocampal neurons", "A neuron of the hippocampus"},
		"neurons":           {"Hippocampal neurons", "A neuron of the hippocampus"},
		"field maps":        {"ﬁeld ｍａｐｓ"},
		"hyphenation":       {"hyphen\u00adation"},
		"hyphe\u00adnation": {"hyphen\u00adation"},
		"mu m":              {"µm rulers"},
		"study mice":        {"Studies of mice"},
		"rays":              {"Ray tracing"},
	} {
		got, hint := found(t, ix, names, text)
		if slices.Sort(got); hint != nil && hint.Kind != HintNone || !slices.Equal(got, slices.Sorted(slices.Values(wanted))) {
			t.Errorf("%q finds %q with hint %+v, want %q", text, got, hint, wanted)
		}
	}
}

// Other forms of a word are found, those with endings of Latin and Greek too, and what begins like the stem; not what only
// sounds alike.
// Stems are of English alone: a word of another script finds itself and what begins with it.
// Whole words come before beginnings, stems and parts.
func TestWholeWordsComeFirst(t *testing.T) {
	t.Parallel()
	ix, names := small(t, "Of folding|||", "Of folds", "Of foldings", "Of a fold", "Of fold2")
	if got, _ := found(t, ix, names, "fold"); len(got) != 5 || got[0] != "Of a fold" {
		t.Errorf("fold finds %q", got)
	}
	if got, _ := found(t, ix, names, "folding"); len(got) != 5 || got[0] != "Of folding" {
		t.Errorf("folding finds %q", got)
	}
}

func TestExcluded(t *testing.T) {
	t.Parallel()
	ix, names := small(t, "Mouse brain", "Rat brain|of a brown rat", "Brain of man|deep brain stimulation", "-1 and minus")
	for text, want := range map[string]string{
		"brain -rat":             "Brain of man, Mouse brain",
		"brain -ra":              "Brain of man, Mouse brain, Rat brain", // whole words only
		`brain -"deep brain"`:    "Mouse brain, Rat brain",
		`brain -"brain deep"`:    "Brain of man, Mouse brain, Rat brain",
		"-rat brain -man":        "Mouse brain",
		"type:dataset -brain":    "-1 and minus",
		"-brain":                 "Brain of man, Mouse brain, Rat brain", // asks for nothing else, so it's a word
		"-1":                     "-1 and minus",
		"brain - rat":            "Rat brain",
		"of-brain -stimulation ": "Mouse brain, Rat brain", // small words aren't required
	} {
		got, _ := found(t, ix, names, text)
		if slices.Sort(got); strings.Join(got, ", ") != want {
			t.Errorf("%q finds %q, want %q", text, strings.Join(got, ", "), want)
		}
	}
}

// Small words are left out only where they say little, and count for the order.
// What counts for the order: the whole word, words side by side, and the word itself rather than its stem.
func TestWhatCountsMore(t *testing.T) {
	t.Parallel()
	for text, names := range map[string][2]string{
		"visualization cells": {"Some cells|of visualization", "Many cells|visual visual"},
		"language model":      {"First|a language model of cells", "Second|a cells model of language"},
		"of cells waves":      {"Waves of cells", "Waves beside cells"},
	} {
		for _, order := range [][2]string{{names[0], names[1]}, {names[1], names[0]}} {
			ix, known := small(t, order[0], order[1])
			best, _, _ := strings.Cut(names[0], "|")
			if got, _ := found(t, ix, known, text); len(got) == 0 || got[0] != best {
				t.Errorf("%q finds %q, want %q first", text, got, best)
			}
		}
	}
}

// Without entries that have all words, those with most of them by rarity are found, and the words that the best one lacks
// are named.
// After the few entries that have all words of a sentence, those with most of them are listed, the best first.
// A tag lists as many entries as its count said, though fewer of them have all words of a sentence than without it.
// An empty result names the filters to remove, with what would be found.
func TestFiltersToRemove(t *testing.T) {
	t.Parallel()
	ix, _ := small(t, "One||a;b", "Two||a", "Three||a", "!Hidden||b;c|eve@example.org")
	for _, test := range []struct {
		query Query
		want  []Removable
	}{
		{Query{Tags: []string{"a"}, Types: []string{"MODEL"}}, []Removable{{FilterType, "MODEL", 3}}},
		{Query{Text: "two", Tags: []string{"a", "b"}}, []Removable{{FilterTag, "b", 1}}},
		{Query{Tags: []string{"a", "none"}}, []Removable{{FilterTag, "none", 3}}},
		{Query{Tags: []string{"c"}, Types: []string{"DATASET"}}, []Removable{{FilterTag, "c", 3}}},
		{Query{Text: "nothing"}, []Removable{}},
	} {
		test.query.Limit = 10
		result, err := ix.Search(t.Context(), test.query)
		if err != nil {
			t.Fatal(err)
		}
		if result.Hint == nil || result.Hint.Kind != HintNone || !slices.Equal(result.Hint.Remove, test.want) {
			t.Errorf("%+v: %+v, want to remove %v", test.query, result.Hint, test.want)
		}
	}
}

func TestFeaturedEntriesComeFirst(t *testing.T) {
	t.Parallel()
	ix := New(testTypes)
	names, last := map[string]string{}, Document{}
	for number, stars := range []int{0, 1 << 40, 5, 0, 1} {
		last = Document{
			ID: uuid.NewString(), Type: "DATASET", Name: strconv.Itoa(number), Authors: []string{"ada@example.org"},
			CreatedAt: time.UnixMicro(int64(number)), Stars: stars, Featured: number >= 3,
		}
		names[last.ID] = last.Name
		ix.Apply([]string{last.ID}, []Document{last})
	}
	expect := func(want string) {
		t.Helper()
		result, err := ix.Search(t.Context(), Query{Sort: SortUsed, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, id := range result.IDs {
			got += names[id]
		}
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	expect("43120")
	last.Stars, last.Counted = 0, true // a star is taken back
	ix.Apply([]string{last.ID}, []Document{last})
	expect("43120")
	last.Featured, last.Counted = false, false
	ix.Apply([]string{last.ID}, []Document{last})
	expect("31240")
}
