package relevance

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

//go:embed contents.txt
var contentsText string

//go:embed content-queries.txt
var contentQueriesText string

// topic is what only the files of entries are about: as a heading, in a sentence, and as columns.
type topic struct {
	key                       string
	heading, sentence, column string
}

// parseTopics returns the topics of each field by its first tag.
func parseTopics() (map[string][]topic, error) {
	topics := map[string][]topic{}
	tag := ""
	for line := range lines(contentsText) {
		if name, found := strings.CutPrefix(line, "= "); found {
			tag = name
			continue
		}
		key, written, _ := strings.Cut(line, ": ")
		forms := strings.Split(written, "; ")
		if len(forms) != 3 || tag == "" {
			return nil, fmt.Errorf("contents.txt: %q is no topic", line)
		}
		topics[tag] = append(topics[tag], topic{key, forms[0], forms[1], forms[2]})
	}
	return topics, nil
}

// withContents returns the entries with the text of files in every third one that was composed. It is about one topic of
// its field, and half of the texts also mention the other topic and a subject that the entry isn't about.
func withContents(entries []entry) ([]entry, error) {
	topics, err := parseTopics()
	if err != nil {
		return nil, err
	}
	fields, err := parseFields()
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(20260714, 1))
	entries = slices.Clone(entries)
	for i := range entries {
		one := &entries[i]
		if one.key != "" || random.IntN(3) > 0 {
			continue
		}
		at := slices.IndexFunc(fields, func(of field) bool { return of.tags[0] == one.Tags[0] })
		about := topics[one.Tags[0]]
		if at < 0 || len(about) != 2 {
			return nil, fmt.Errorf("contents.txt: the field %q has %d topics, not two", one.Tags[0], len(about))
		}
		first := random.IntN(2)
		own, other := about[first], about[1-first]
		one.about = append(slices.Clone(one.about), own.key)
		parts := contentOf(random, own)
		if random.IntN(2) == 0 {
			subject := fields[at].subjects[random.IntN(len(fields[at].subjects))]
			parts = append(parts, "For "+other.sentence+" see our collection on "+subject.forms[random.IntN(2)]+".")
			one.mentioned = append(slices.Clone(one.mentioned), other.key, subject.key)
		}
		one.Content = strings.Join(parts, "\n")
	}
	return entries, nil
}

// contentOf writes a README, a notebook's headings and Markdown, or the columns of a table, about a topic.
func contentOf(random *rand.Rand, about topic) []string {
	filler := []string{
		"Install the requirements first.", "Run the steps in order.", "The license is in the root.", "Questions are welcome as issues.", "Figures are written to a folder.",
		"Every value has a unit.", "Empty cells mean that nothing was measured.", "The first row has the names.", "Files are sorted by date.", "Load the files.",
		"Plot the results.", "Save the table.", "Tests run on every change.", "Cite the paper if you use this.", "Older releases are archived.",
	}
	random.Shuffle(len(filler), func(i, j int) { filler[i], filler[j] = filler[j], filler[i] })
	few := 3 + random.IntN(5)
	switch random.IntN(3) {
	case 0:
		return slices.Concat([]string{"README", "The second part is about " + about.sentence + "."}, filler[:few], []string{about.heading}, filler[few:])
	case 1:
		return slices.Concat([]string{"Setup"}, filler[:few], []string{about.heading, "This cell shows " + about.sentence + ".", "Summary"})
	default:
		return slices.Concat([]string{"Columns", "date, value, unit, " + about.column + ", notes", "More on " + about.sentence + " is in the last column."}, filler[:few])
	}
}
