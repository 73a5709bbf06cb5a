package index

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

var testTypes = []string{"NOTEBOOK", "DATASET", "MODEL"}

// randomWorld makes entries and queries out of few words, so that most queries find something.
type randomWorld struct {
	*rand.Rand

	ids []string
}

var (
	randomWords = strings.Fields("brain Brain neural neuron neurons TorchBrain torch_brain matterTune matter tune spike spikes " +
		"Über naïve HTMLParser md/namd v1.2 cortex 細胞 画像 tag type author data dataset x xy xyz a-b µm ﬁeld İstanbul " +
		"AlphaFold2 AlphaFold alpha-fold-2 CO₂ co2 2 ResNet-50 resnet50 TNFα β beta Straße strasse søren neuronal hoping 3d a1b2c3d4e5")
	randomTags   = []string{"md", "MD", "neuro science", "a,b", "torch", "Über", "v1.2", "secret"}
	randomEmails = []string{"ada@example.org", "bob.lee@example.org", "grace@hopper.example.edu", "x@y.example"}
)

func (w *randomWorld) pick(values []string) string { return values[w.IntN(len(values))] }

func (w *randomWorld) either(a, b int) int { return []int{a, b}[w.IntN(2)] }

func (w *randomWorld) text(most int) string {
	parts := make([]string, 1+w.IntN(most))
	for i := range parts {
		parts[i] = w.pick(randomWords)
	}
	return strings.Join(parts, w.pick([]string{" ", " ", "_", "-", ", "}))
}

func (w *randomWorld) document(id string) Document {
	d := Document{
		ID: id, Type: w.pick(testTypes), Name: w.text(3), Description: w.text(12), Private: w.IntN(5) == 0,
		CreatedAt: time.UnixMicro(int64(w.IntN(50))), Stars: max(0, w.IntN(8)-4), Starters: max(0, w.IntN(16)-8), Authors: []string{w.pick(randomEmails)},
	}
	w.run(&d)
	if w.IntN(4) == 0 {
		d.Content = w.text(300)
	}
	for number, value := range randomTags {
		if w.IntN(4) == 0 {
			d.Tags = append(d.Tags, Tag{ID: fmt.Sprint(number), Value: value})
		}
	}
	for number := range 70 { // more than facets list
		if w.IntN(4+number) == 0 {
			value := fmt.Sprintf("t%02d", number)
			d.Tags = append(d.Tags, Tag{ID: value, Value: value})
		}
	}
	if email := w.pick(randomEmails); email != d.Authors[0] {
		d.Authors = append(d.Authors, email)
	}
	return d
}

// run gives a document the outcome of another last run.
func (w *randomWorld) run(d *Document) {
	d.Outcome, d.Ran = Outcome(w.pick([]string{"", "clean", "clean", "differs", "fails", "needs", "nothing", "never"})), time.Time{}
	if d.Outcome != "" && d.Outcome != OutcomeNever {
		d.Ran = time.UnixMicro(int64(1 + w.IntN(20)))
	}
}

func (w *randomWorld) query() Query {
	query := Query{
		Email: w.pick(append([]string{"", "stranger@example.org"}, randomEmails...)), Facets: w.IntN(2) == 0,
		Sort: Sort(w.pick([]string{"", "relevance", "name", "newest", "stars", "used", "runs"})), Limit: 1 + w.IntN(100),
	}
	if query.Facets && w.IntN(3) == 0 {
		query.FacetText = w.pick([]string{"t", "1", "T0", "none", "2 "})
	}
	for range w.IntN(3) * w.IntN(2) {
		query.Types = append(query.Types, w.pick(testTypes))
	}
	for range w.IntN(3) * w.IntN(2) {
		query.Tags = append(query.Tags, w.pick(append(randomTags, "none")))
	}
	for range w.IntN(3) * w.IntN(2) {
		query.Runs = append(query.Runs, Outcomes[w.IntN(len(Outcomes))])
	}
	switch w.IntN(10) {
	case 0:
	case 1:
		query.Text = w.pick([]string{"_", "/", "1.2", "b", "r", "細", `"`, `""`, " : ", "tag:", `author:"`, "\x00", "\xff\xfe"})
	case 2:
		query.Text = w.pick([]string{"tag:", "Tag:", "type:", "author:", "other:"}) +
			w.pick(append([]string{`"neuro science"`, "model", "Dataset", "hopper", "bob.lee@example.org", "nobody"}, randomTags...))
		if w.IntN(2) == 0 {
			query.Text += " " + w.text(2)
		}
	case 3:
		query.Text = w.text(2) + ` "` + w.text(2) + `" ` + w.pick([]string{"", "spi", w.text(1), "-" + w.text(1), `-"` + w.text(2) + `"`})
	case 4: // a part of something
		letters := []rune(w.text(2))
		from := w.IntN(len(letters))
		query.Text = string(letters[from : from+1+w.IntN(len(letters)-from)])
	default:
		query.Text = w.text(3)
	}
	return query
}

// compare finds out whether a search finds what the scan finds, page by page.
func compare(t *testing.T, search func(Query) (Result, error), scan *Scan, query Query) {
	t.Helper()
	want, groups, facets := scan.Search(query)
	var got []string
	for offset := 0; ; offset += query.Limit {
		query.Offset = offset
		result, err := search(query)
		if err != nil {
			t.Fatal(err)
		}
		whole := len(slices.DeleteFunc(slices.Clone(groups), func(group int) bool { return group == groupMost }))
		if hint := result.Hint; hint != nil && hint.Kind == HintCorrected {
			if whole > 0 {
				t.Fatalf("%+v: searched for %q though %d match", query, hint.Text, whole)
			}
			return // TestCorrected looks at these
		} else if relaxed := hint != nil && hint.Kind == HintRelaxed; relaxed != (whole < len(groups)) || relaxed && hint.Whole != whole {
			t.Fatalf("%+v: %+v, want %d of %d with all words", query, hint, whole, len(groups))
		}
		if result.Total != len(want) {
			t.Fatalf("%+v: total %d, want %d", query, result.Total, len(want))
		}
		if query.Facets && (!maps.Equal(result.Facets.Types, facets.Types) || !slices.Equal(result.Facets.Tags, facets.Tags) || result.Facets.Runs != facets.Runs) {
			t.Fatalf("%+v: facets %v, want %v", query, result.Facets, facets)
		}
		got = append(got, result.IDs...)
		if len(result.IDs) == 0 {
			break
		}
	}
	ids := make([]string, len(want))
	for i := range want {
		ids[i] = want[i].ID
	}
	inOrder := query.Sort == SortName || query.Sort == SortNewest || query.Sort == SortStars || query.Sort == SortUsed || query.Sort == SortRuns ||
		!slices.ContainsFunc(groups, func(group int) bool { return group >= groupWhole })
	if inOrder && !slices.Contains(groups, groupExact) {
		if !slices.Equal(got, ids) {
			t.Fatalf("%+v: got %v, want %v", query, got, ids)
		}
		return
	}
	byName := len(slices.DeleteFunc(slices.Clone(groups), func(group int) bool { return group > groupBegins }))
	whole := len(slices.DeleteFunc(slices.Clone(groups), func(group int) bool { return group == groupMost }))
	for _, end := range []int{byName, whole, len(ids)} {
		if !sameSet(got[:min(end, len(got))], ids[:end]) {
			t.Fatalf("%+v: got %v, want %v in groups %v", query, got, ids, groups)
		}
	}
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func TestIndexFindsWhatAScanFinds(t *testing.T) { indexFindsWhatScanFinds(t, 1000) }

func TestThoroughIndexFindsWhatAScanFinds(t *testing.T) { indexFindsWhatScanFinds(t, 10_000) }

func indexFindsWhatScanFinds(t *testing.T, rounds int) {
	t.Helper()
	w := &randomWorld{Rand: rand.New(rand.NewPCG(1, 2))}
	ix, scan := New(testTypes), NewScan(testTypes)
	for round := range rounds {
		id := uuid.NewString()
		if len(w.ids) > 0 && (len(w.ids) > 3*fewest || w.IntN(2) > 0) {
			id = w.pick(w.ids)
		} else {
			w.ids = append(w.ids, id)
		}
		switch document := w.document(id); {
		case w.IntN(4) == 0:
			ix.Apply([]string{id}, nil)
			scan.Remove(id)
		case scan.entries[id] != nil && w.IntN(4) == 0: // only run
			document = scan.entries[id].Document
			w.run(&document)
			document.Counted = w.IntN(2) == 0
			ix.Apply([]string{id}, []Document{document})
			document.Counted = false
			scan.Put(document)
		default:
			ix.Apply([]string{id}, []Document{document})
			scan.Put(document)
		}
		ix.bounds = bounds{walk: w.either(0, 1<<20), forward: w.either(0, 1000), ranked: 1 + w.IntN(50)}
		compare(t, func(query Query) (Result, error) { return ix.Search(t.Context(), query) }, scan, w.query())
		if round%500 == 499 { // what is read back from a snapshot is the same
			ix = reread(t, ix)
		}
		if round%500 == 249 { // and so is what is built at once
			ix = rebuilt(scan)
		}
	}
}

// rebuilt creates an index of all entries at once.
func rebuilt(scan *Scan) *Index {
	builder := NewBuilder(testTypes)
	var documents []Document
	for _, id := range slices.Sorted(maps.Keys(scan.entries)) {
		documents = append(documents, scan.entries[id].Document)
	}
	builder.Add(builder.Prepare(documents))
	return builder.Finish()
}
