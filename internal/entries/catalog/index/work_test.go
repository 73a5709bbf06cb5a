package index

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// hardTexts are as long as a search may be, or hard in other ways.
func hardTexts() map[string]string {
	const longest = 1000
	repeated := func(text string) string { return strings.Repeat(text, longest)[:longest] }
	var words, excluded, tags strings.Builder
	for number := range longest {
		fmt.Fprintf(&words, "%c%c ", 'a'+number%26, 'a'+number/26%26)
		fmt.Fprintf(&excluded, "-w%d ", number)
		fmt.Fprintf(&tags, "tag:t%d ", number)
	}
	return map[string]string{
		"short words": repeated("a b c d "), "many words": words.String()[:longest], "one letter": repeated("e"), "one word": repeated("w10 "),
		"misspelled": "comonn thareee wwww99", "unknown": words.String()[:600] + strings.Repeat("zzzzy ", 60), "beginnings": repeated("w10 w11 w12 w13 w14 w15 w16 w17 "),
		"quotes": repeated(`"of the" `), "open quotes": repeated(`"`), "excluded": excluded.String()[:longest], "tags": tags.String()[:longest],
		"fields": repeated("tag:t1 type:a "), "digits": repeated("w1"), "mixed case": repeated("aB1-"), "hyphens": repeated("a-"), "marks": repeated("é"),
		"any bytes": repeated("\x00\xff\xfe\t"), "wildcards": repeated("*%_"), "Greek": strings.Repeat("αβ", longest/4),
	}
}

// Whatever is searched for, a search allocates a bounded number of bytes, not more than a few searches for a common word, and
// looks at each word of the index a few times at most.
func TestHardTextsCostLittle(t *testing.T) { // not parallel: it counts what the whole process allocates
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("w%d", random.IntN(3000)) }
	builder := NewBuilder([]string{"a", "b"})
	var documents []Document
	for number := range 5000 {
		documents = append(documents, Document{
			ID: uuid.NewString(), Type: "a", Name: word() + " common " + word(), CreatedAt: time.UnixMicro(int64(number)),
			Description: strings.Join([]string{word(), word(), "of the", word(), "αβ", word()}, " "),
			Tags:        []Tag{{ID: uuid.NewString(), Value: fmt.Sprintf("t%d", random.IntN(500))}}, Authors: []string{"ada@example.org"},
		})
	}
	builder.Add(builder.Prepare(documents))
	ix := builder.Finish()
	search := func(text string) (allocated uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := ix.Search(t.Context(), Query{Text: text, Limit: 24, Facets: true}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	cheapest := func(text string) uint64 { // garbage may be collected at any time, and with it what searches use again
		return min(search(text), search(text), search(text))
	}
	scans := func(text string) int64 {
		ix.scanned.Store(0)
		search(text)
		return ix.scanned.Load()
	}
	search("common")
	if once, often := scans("w100"), scans(strings.Repeat("w100 ", 200)); often > 2*once {
		t.Errorf("a word looks at %d words of the index, 200 times the word at %d", once, often)
	}
	ordinary := cheapest("common w1")
	const times = 40 // the race detector's pools keep less, and it needs more than half of this
	const mostScans = 6
	for name, text := range hardTexts() {
		if cost := cheapest(text); cost > times*ordinary {
			t.Errorf("%s: a search allocates %d bytes, one for two words %d", name, cost, ordinary)
		}
		if scanned := int(scans(text)); scanned > mostScans*len(ix.terms) {
			t.Errorf("%s: a search looks at %d words, the index has %d", name, scanned, len(ix.terms))
		}
	}
}
