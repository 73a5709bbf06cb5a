package index

import (
	"context"
	"slices"
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
		`http://tag:neuro`:             "",
		`tag:secret`:                   "", // as if there were no such tag
		`author:eve`:                   "",
		`other:alpha`:                  "",
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
		if a.Total != b.Total || a.Corrected != b.Corrected || len(a.Facets.Tags) != len(b.Facets.Tags) {
			t.Errorf("%s: %+v with the hidden entry, %+v without", text, a, b)
		}
	}
	if tags := with.Tags("stranger@example.org"); len(tags) != 0 {
		t.Errorf("tags %v", tags)
	}
	if tags := with.Tags("eve@example.org"); len(tags) != 1 || tags[0] != (TagCount{ID: "id of secret", Value: "secret", Count: 1}) {
		t.Errorf("its author sees tags %v", tags)
	}
	if result, _ := with.Search(t.Context(), Query{Text: "cryptik", Limit: 1, Email: "eve@example.org"}); result.Corrected != "cryptic" {
		t.Errorf("its author is corrected to %q", result.Corrected)
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

		"coper ketle spon ladle":  "copper kettle spoon ladle",
		"coper ketle spon laddle": "", // too much is wrong
		"x" + long[1:]:            "", // too long to be a word
	} {
		result, err := ix.Search(t.Context(), Query{Text: text, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		if result.Corrected != want || (want != "") != (result.Total > 0 && result.Corrected != "") {
			t.Errorf("%s: corrected to %q with %d, want %q", text, result.Corrected, result.Total, want)
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
			got = append(got, names[id])
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q found %q, want %q", text, strings.Join(got, ", "), want)
		}
	}
}
