package corpus_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cairn/bench/corpus"
)

func small() corpus.Parameters {
	return corpus.Parameters{Entries: 3000, Seed: 7, Words: 5000, Tags: 200, Authors: 500}
}

func written(t *testing.T, parameters corpus.Parameters) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := corpus.New(parameters).Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestSameSeedSameBytes(t *testing.T) {
	first := written(t, small())
	if !bytes.Equal(first, written(t, small())) {
		t.Error("the same seed gave different bytes")
	}
	other := small()
	other.Seed++
	if bytes.Equal(first, written(t, other)) {
		t.Error("another seed gave the same bytes")
	}
	alone, err := json.Marshal(corpus.New(small()).Entry(1234))
	if line := bytes.Split(first, []byte("\n"))[1234]; err != nil || !bytes.Equal(line, alone) {
		t.Errorf("an entry made alone is another: %s and %s, %v", alone, line, err)
	}
}

func TestEntriesAreLikeThoseOfACatalog(t *testing.T) {
	count := map[string]int{}
	uses := map[string]int{}
	words := 0
	lines := bufio.NewScanner(bytes.NewReader(written(t, small())))
	for lines.Scan() {
		var entry corpus.Entry
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&entry); err != nil {
			t.Fatal(err)
		}
		count["entries"]++
		count[entry.Type]++
		count[entry.Privacy]++
		words += len(strings.Fields(entry.Description))
		for _, tag := range entry.Tags {
			uses[tag]++
		}
		if len(entry.Authors) < 1 || len(entry.Authors) > 3 || len(entry.Tags) > 6 || len(strings.Fields(entry.Name)) < 2 {
			t.Fatalf("%+v", entry)
		}
		if corpus.Fold(entry.Name) != strings.ToLower(entry.Name) {
			count["diacritics"]++
		}
	}
	n := count["entries"]
	if n != 3000 || count["DATASET"] < n*35/100 || count["NOTEBOOK"] < n*15/100 || count["REPOSITORY"] < n*12/100 || count["MODEL"] < n*5/100 {
		t.Errorf("%v", count)
	}
	if private := count["PRIVATE"]; private < n/100 || private > n*6/100 {
		t.Errorf("%d private entries", private)
	}
	if average := words / n; average < 40 || average > 50 {
		t.Errorf("%d words a description", average)
	}
	if count["diacritics"] < n/100 || len(uses) < 100 {
		t.Errorf("%d names with diacritics, %d tags", count["diacritics"], len(uses))
	}
	var most int
	for _, used := range uses {
		most = max(most, used)
	}
	if most < n/10 {
		t.Errorf("the most used tag is on %d entries: that is not Zipf's law", most)
	}
}

func TestQueriesAreTheSameAndOfTheirClass(t *testing.T) {
	one, other := corpus.New(small()), corpus.New(small())
	share := map[corpus.Class]int{}
	mix, again := one.Mix(2000), other.Mix(2000)
	for i, query := range mix {
		if query.Path() != again[i].Path() {
			t.Fatalf("%s and %s", query.Path(), again[i].Path())
		}
		share[query.Class]++
	}
	total := 0
	for _, class := range corpus.Classes {
		total += class.Share
		if got, want := share[class.Class], 20*class.Share; got < want/2 || got > want*2 {
			t.Errorf("%s: %d of 2000, want about %d", class.Class, got, want)
		}
		for _, query := range one.Queries(class.Class, 50) {
			if query.Class != class.Class || (query.Text == "" && query.Tag == "") || slices.Contains(query.Words, "") {
				t.Errorf("%+v", query)
			}
		}
	}
	if total != 100 {
		t.Errorf("the shares are %d %%", total)
	}
}
