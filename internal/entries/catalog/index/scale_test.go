package index

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
)

// BenchmarkScale prints how large an index of CAIRN_ENTRIES entries is and how long its parts take; make bench measures
// the whole server.
func BenchmarkScale(b *testing.B) {
	count, _ := strconv.Atoi(os.Getenv("CAIRN_ENTRIES"))
	if count == 0 {
		b.Skip("CAIRN_ENTRIES says how many entries")
	}
	random := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 100_000)
	for i := range vocabulary {
		word := make([]byte, 3+random.IntN(8))
		for j := range word {
			word[j] = "etaoinshrdlcumwfgypbvkjxqz"[int(random.Float64()*random.Float64()*26)]
		}
		vocabulary[i] = string(word)
	}
	words := rand.NewZipf(random, 1.1, 4, uint64(len(vocabulary)-1))
	tags := rand.NewZipf(random, 1.2, 5, 4999)
	authors := rand.NewZipf(random, 1.1, 50, 49_999)
	text := func(length int) string {
		var written []byte
		for range length {
			written = append(append(written, vocabulary[words.Uint64()]...), ' ')
		}
		return string(written)
	}
	builder := NewBuilder(testTypes)
	var first []string
	started := time.Now()
	var applying time.Duration
	for done := 0; done < count; done += 5000 {
		documents := make([]Document, 5000)
		for i := range documents {
			id := uuid.Must(uuid.NewV7()).String()
			documents[i] = Document{
				ID: id, Type: testTypes[random.IntN(3)], Name: text(4), Description: text(45), Private: random.IntN(33) == 0,
				CreatedAt: time.UnixMicro(int64(done)), Authors: []string{fmt.Sprintf("a%d@example.org", authors.Uint64())},
			}
			seen := map[uint64]bool{}
			for range random.IntN(6) {
				if number := tags.Uint64(); !seen[number] {
					seen[number] = true
					documents[i].Tags = append(documents[i].Tags, Tag{ID: fmt.Sprint(number), Value: fmt.Sprint("tag ", number)})
				}
			}
			if len(first) < 2000 && random.IntN(50) == 0 {
				first = append(first, documents[i].Name)
			}
		}
		now := time.Now()
		builder.Add(builder.Prepare(documents))
		applying += time.Since(now)
	}
	heap := func() uint64 {
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		return memory.HeapAlloc >> 20
	}
	b.Logf("%d entries: %v in all, %v applying", count, time.Since(started), applying)
	now := time.Now()
	ix := builder.Finish()
	b.Logf("finished in %v: heap %d MB, %d terms, %d prefixes, %d grams",
		time.Since(now), heap(), len(ix.terms), len(ix.prefixes), len(ix.grams))
	sizes := map[string]uint64{}
	measure := func(name string, s *set) {
		sizes[name] += 32 + uint64(cap(s.few))*4
		if s.many != nil {
			sizes[name] += s.many.GetSizeInBytes() + 150
		}
	}
	for i := range ix.terms {
		measure("terms", &ix.terms[i].all)
		measure("names", &ix.terms[i].inName)
		measure("authors", &ix.terms[i].inAuthor)
	}
	for _, one := range ix.prefixes {
		if one.all != nil {
			measure("prefixes", one.all)
		}
	}
	for key, s := range ix.grams {
		measure(fmt.Sprint("grams of ", map[bool]int{true: 1, false: 2}[key < 1<<21]), s)
	}
	for i := range ix.documents {
		found := ix.textsOf(&ix.documents[i])
		sizes["records"] += uint64(len(found.record))
		sizes["texts"] += uint64(len(found.name) + len(found.typed))
	}
	for name, size := range sizes {
		b.Logf("  %s %d MB", name, size>>20)
	}
	var file bytes.Buffer
	now = time.Now()
	_ = ix.Write(&file, Position{})
	b.Logf("snapshot %d MB in %v", file.Len()>>20, time.Since(now))
	now = time.Now()
	if _, _, err := Read(bytes.NewReader(file.Bytes()), testTypes); err != nil {
		b.Fatal(err)
	}
	b.Logf(", read in %v", time.Since(now))
	file = bytes.Buffer{}

	tagOf := func() string { return fmt.Sprint("tag ", tags.Uint64()) }
	cases := map[string]func() Query{
		"word":        func() Query { return Query{Text: vocabulary[words.Uint64()]} },
		"common word": func() Query { return Query{Text: vocabulary[random.IntN(5)]} },
		"two words":   func() Query { return Query{Text: vocabulary[words.Uint64()] + " " + vocabulary[words.Uint64()]} },
		"words+filter": func() Query {
			return Query{Text: vocabulary[words.Uint64()] + " " + vocabulary[words.Uint64()], Types: testTypes[:1], Tags: []string{tagOf()}}
		},
		"prefix": func() Query {
			word := vocabulary[words.Uint64()]
			return Query{Text: word[:2+random.IntN(len(word)-2)]}
		},
		"letter": func() Query { return Query{Text: vocabulary[words.Uint64()][:1]} },
		"part of name": func() Query {
			name := first[random.IntN(len(first))]
			at := random.IntN(len(name) - 6)
			return Query{Text: name[at : at+6]}
		},
		"exact name":  func() Query { return Query{Text: first[random.IntN(len(first))]} },
		"tag":         func() Query { return Query{Tags: []string{tagOf()}} },
		"all newest":  func() Query { return Query{Sort: SortNewest} },
		"facets":      func() Query { return Query{Text: vocabulary[random.IntN(50)], Facets: true} },
		"facets rare": func() Query { return Query{Text: vocabulary[words.Uint64()], Facets: true} },
		"sentence": func() Query {
			text := ""
			for range 6 {
				text += vocabulary[words.Uint64()] + " "
			}
			return Query{Text: text, Facets: true}
		},
		"long sentence": func() Query {
			text := ""
			for range mostRelaxed {
				text += vocabulary[random.IntN(2000)] + " "
			}
			return Query{Text: text, Facets: true}
		},
		"misspelled": func() Query { return Query{Text: "q" + vocabulary[words.Uint64()] + "zz"} },
		"quoted": func() Query {
			return Query{Text: `"` + vocabulary[random.IntN(50)] + " " + vocabulary[random.IntN(50)] + `"`}
		},
	}
	for name, query := range cases {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				one := query()
				one.Limit = 24
				if _, err := ix.Search(b.Context(), one); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
