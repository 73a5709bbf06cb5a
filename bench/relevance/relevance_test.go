package relevance

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSetIsTheSameEachTime(t *testing.T) {
	entries, err := newEntries()
	if err != nil {
		t.Fatal(err)
	}
	again, err := newEntries()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for i := range entries {
		names[entries[i].Name] = true
		if entries[i].Name != again[i].Name || entries[i].Description != again[i].Description {
			t.Fatalf("entry %d differs: %q and %q", i, entries[i].Name, again[i].Name)
		}
	}
	if len(names) != size {
		t.Errorf("%d names, want %d", len(names), size)
	}
}

// counted returns how many different texts there are, and how many searches are held out.
func counted(queries []query) (texts, heldOut int) {
	different := map[string]bool{}
	for i := range queries {
		different[queries[i].text] = true
	}
	return len(different), count(queries, func(q *query) bool { return q.held })
}

func TestEverySearchWantsSomething(t *testing.T) {
	entries, err := newEntries()
	if err != nil {
		t.Fatal(err)
	}
	queries, err := parseQueries(queriesText, held, entries)
	if err != nil {
		t.Fatal(err)
	}
	if texts, heldOut := counted(queries); texts != searches || heldOut != held {
		t.Errorf("%d different searches, %d of them held out; want %d and %d", texts, heldOut, searches, held)
	}
	var before earlier
	if err := json.Unmarshal(earlierText, &before); err != nil {
		t.Fatal(err)
	}
	if before.Set != digest() || len(before.Found) != searches {
		t.Error("earlier.json is about another set")
	}
}

// Contents are the same each time, and their topics grade no entry without one.
func TestContentSearchesWantSomething(t *testing.T) {
	set, err := newSet()
	if err != nil {
		t.Fatal(err)
	}
	again, err := newSet()
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for i := range set.contents.entries {
		one := &set.contents.entries[i]
		if one.Content != again.contents.entries[i].Content || set.plain.entries[i].Content != "" {
			t.Fatalf("entry %d has the content %q, then %q", i, one.Content, again.contents.entries[i].Content)
		}
		if one.Content != "" {
			with++
		}
		ofFile := func(key string) bool { return strings.HasPrefix(key, "file-") }
		if slices.ContainsFunc(one.about, ofFile) != (one.Content != "") || slices.ContainsFunc(set.plain.entries[i].about, ofFile) {
			t.Errorf("%q is about %v", one.Name, one.about)
		}
	}
	if texts, heldOut := counted(set.contents.queries); texts != contentSearches || heldOut != contentHeld || with < size/4 || with > size/2 {
		t.Errorf("%d different searches, %d of them held out, %d contents", texts, heldOut, with)
	}
}

func TestGradesFollowWhatEntriesWereMadeFrom(t *testing.T) {
	made := entry{about: []string{"a", "b"}, mentioned: []string{"c"}}
	for item, want := range map[string]int{"a": 3, "a+b": 3, "a+c": 2, "c+a": 1, "c": 1, "a+d": 1, "d": 0, "a!c": 0, "a!d": 3} {
		wanted, without := parseConcepts(item)
		if grade := made.grade(wanted, without); grade != want {
			t.Errorf("%s: %d, want %d", item, grade, want)
		}
	}
}

func TestMeasures(t *testing.T) {
	q := query{grades: map[int]int{7: 3, 8: 1}}
	if !q.succeeds([]int{1, 7}, 3) || q.succeeds([]int{1, 7}, 1) || q.succeeds([]int{8}, 3) || q.succeeds(nil, 3) {
		t.Error("success isn't that a wanted entry is among the first")
	}
	if best, worse := q.gained([]int{7, 8}), q.gained([]int{8, 7}); best != 1 || worse >= 1 {
		t.Errorf("the best order has %v, the other %v", best, worse)
	}
	if gained, want := q.gained([]int{1, 7}), 7/math.Log2(3)/(7+1/math.Log2(3)); math.Abs(gained-want) > 1e-9 {
		t.Errorf("gained %v, want %v", gained, want)
	}
}
