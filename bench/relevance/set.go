// Package relevance measures whether searches find what people mean: judged searches over a small catalog, asked of the
// real binary. README.md says how the set was made.
package relevance

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"cairn/bench/corpus"
)

// size is the number of entries.
const size = 2000

//go:embed fields.txt
var fieldsText string

//go:embed authors.txt
var authorsText string

//go:embed landmarks.txt
var landmarksText string

//go:embed queries.txt
var queriesText string

// entry is an entry with what it was made from, by which searches are judged.
type entry struct {
	corpus.Entry

	key       string   // of an entry written by hand
	credits   []string // names of its authors, as queries.txt writes them
	about     []string // keys of its subject, method and material
	mentioned []string // keys of what its description only compares it with
}

// concept is something that entries are about, with two ways to write it.
type concept struct {
	key   string
	forms [2]string
}

// field is a science with its vocabulary.
type field struct {
	tags                         []string
	subjects, methods, materials []concept
}

// newEntries returns the entries in the order of their import: the same ones each time.
func newEntries() ([]entry, error) {
	random := rand.New(rand.NewPCG(20260714, 0))
	fields, err := parseFields()
	if err != nil {
		return nil, err
	}
	entries, err := landmarks()
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, one := range entries {
		if names[one.Name] {
			return nil, fmt.Errorf("two entries are named %q", one.Name)
		}
		names[one.Name] = true
	}
	type combination struct{ field, subject, method, material int }
	var combinations []combination
	for f, one := range fields {
		for s := range one.subjects {
			for m := range one.methods {
				for o := range one.materials {
					combinations = append(combinations, combination{f, s, m, o})
				}
			}
		}
	}
	random.Shuffle(len(combinations), func(i, j int) { combinations[i], combinations[j] = combinations[j], combinations[i] })
	for _, c := range combinations[:size-len(entries)] {
		one := fields[c.field]
		entries = append(entries, compose(random, one, one.subjects[c.subject], one.methods[c.method], one.materials[c.material], names))
	}
	random.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	for i := range entries {
		one := &entries[i].Entry
		one.Kind, one.ExternalID, one.Privacy = "resource", fmt.Sprintf("r%d", i), "PUBLIC"
		if one.Type == "MODEL" {
			one.Version = "1.0"
		}
		one.Place("set/" + one.ExternalID)
	}
	return entries, nil
}

func parseFields() ([]field, error) {
	var fields []field
	for line := range lines(fieldsText) {
		kind, rest, _ := strings.Cut(line, " ")
		if kind == "=" {
			fields = append(fields, field{tags: strings.Split(rest, ", ")})
			continue
		}
		key, written, ok := strings.Cut(rest, ": ")
		first, second, both := strings.Cut(written, "; ")
		if !ok || !both || len(fields) == 0 {
			return nil, fmt.Errorf("fields.txt: %q is no concept", line)
		}
		one, here := concept{key, [2]string{first, second}}, &fields[len(fields)-1]
		switch kind {
		case "s":
			here.subjects = append(here.subjects, one)
		case "m":
			here.methods = append(here.methods, one)
		case "o":
			here.materials = append(here.materials, one)
		default:
			return nil, fmt.Errorf("fields.txt: %q begins with no kind", line)
		}
	}
	return fields, nil
}

func landmarks() ([]entry, error) {
	var entries []entry
	for line := range lines(landmarksText) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 {
			return nil, fmt.Errorf("landmarks.txt: %q has %d cells", line, len(cells))
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		entries = append(entries, entry{
			key: cells[0], about: strings.Fields(cells[6]), credits: []string{cells[3]},
			Entry: corpus.Entry{
				Type: cells[1], Name: cells[2], Authors: []string{mail(cells[3])}, Tags: strings.Split(cells[4], ", "), Description: cells[5],
			},
		})
	}
	return entries, nil
}

// mail returns somebody's address, without the accents of the name, as such addresses are.
func mail(name string) string {
	plain := strings.NewReplacer("ø", "o", "ł", "l", "Ł", "l", "đ", "d", "Đ", "d", "Þ", "th", "þ", "th", "ß", "ss", "æ", "ae", "ı", "i", "'", "").Replace(name)
	return strings.Join(strings.Fields(corpus.Fold(plain)), ".") + "@example.org"
}

// compose writes an entry about a subject, with a method, on a material. Each of them is in its name or description, most
// in both, in one way or the other.
func compose(random *rand.Rand, of field, subject, method, material concept, names map[string]bool) entry {
	pick := func(options ...string) string { return options[random.IntN(len(options))] }
	way := random.IntN(2)
	s, m, o := subject.forms[way], method.forms[random.IntN(2)], material.forms[0]
	name := ""
	for tries := 0; name == "" || names[name]; tries++ {
		switch style := random.IntN(6); {
		case style == 0:
			name = m + " of " + s + " in " + o
		case style == 1:
			name = s + " in " + o + ": " + m
		case style == 2 && tries == 0:
			name = s + " " + pick("data", "benchmark", "workflow", "tutorial", "collection")
		case style == 3 && tries == 0:
			name = s + " by " + m
		case style == 4 && tries == 0:
			name = o + ", " + s
		default:
			name = pick("Measuring ", "Modeling ", "Understanding ", "A study of ", "Notes on ") + s + " in " + o + " with " + m
		}
	}
	names[name] = true
	made := entry{about: []string{subject.key, method.key, material.key}}
	made.Name = strings.ToUpper(name[:1]) + name[1:]
	s, m = subject.forms[1-way], method.forms[random.IntN(2)]
	made.Type = []string{"DATASET", "DATASET", "NOTEBOOK", "REPOSITORY", "MODEL"}[random.IntN(5)]
	text := pick("This work is about ", "Everything to study ", "What we learned about ", "Materials for a paper on ", "Open results on ") + s +
		pick(", obtained with ", " by means of ", ", using ", " through ") + m + pick(", for ", " in ", ", with examples from ") + material.forms[random.IntN(2)] + ". "
	text += pick("The files are ready to use. ", "Missing values are marked. ", "Every figure can be drawn again. ", "All steps are scripted. ",
		"Tested by two groups. ", "A short guide explains the columns. ", "It takes a few minutes to run. ", "The code is commented. ")
	if random.IntN(2) == 0 { // what isn't its topic
		other := of.subjects[random.IntN(len(of.subjects))]
		otherMethod := of.methods[random.IntN(len(of.methods))]
		if other.key != subject.key && otherMethod.key != method.key {
			text += pick("Unlike our earlier work on ", "It can be joined with data on ", "The layout is that of our collection on ") + other.forms[random.IntN(2)] +
				pick(", there is nothing from ", ", made with ") + otherMethod.forms[0] + ". "
			made.mentioned = append(made.mentioned, other.key, otherMethod.key)
		}
	}
	made.Description = strings.TrimSpace(text)
	made.Tags = []string{of.tags[0]}
	if random.IntN(2) == 0 {
		made.Tags = append(made.Tags, of.tags[1:]...)
	}
	if random.IntN(3) == 0 {
		made.Tags = append(made.Tags, strings.ToLower(subject.forms[0]))
	}
	if random.IntN(4) == 0 {
		made.Tags = append(made.Tags, strings.ToLower(method.forms[0]))
	}
	everybody := slices.Collect(lines(authorsText))
	for range 1 + random.IntN(3) {
		if one := everybody[random.IntN(len(everybody))]; !slices.Contains(made.credits, one) {
			made.credits = append(made.credits, one)
			made.Authors = append(made.Authors, mail(one))
		}
	}
	return made
}

// lines yields the lines of a text that aren't empty.
func lines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !yield(line) {
				return
			}
		}
	}
}
