package relevance

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The numbers of searches, and of those that no tuning looks at; those for contents are apart.
const (
	searches        = 300
	held            = 100
	contentSearches = 42
	contentHeld     = 14
)

// query is a judged search.
type query struct {
	class  string
	text   string
	grades map[int]int // by the number of the entry: 3 wanted, 2 close, 1 related
	held   bool        // held out while the ranking is tuned
}

// parseQueries returns the searches in the order of their file.
func parseQueries(text string, heldOut int, entries []entry) ([]query, error) {
	var queries []query
	for line := range lines(text) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 {
			return nil, fmt.Errorf("search %q has %d cells", line, len(cells))
		}
		one := query{class: cells[0], text: cells[1], grades: map[int]int{}}
		for wanted := range strings.FieldsSeq(cells[2]) {
			if err := one.want(entries, wanted); err != nil {
				return nil, fmt.Errorf("search %q: %w", line, err)
			}
		}
		if one.best() != 3 {
			return nil, fmt.Errorf("nothing is wanted by %q", line)
		}
		queries = append(queries, one)
	}
	holdOut(queries, heldOut)
	return queries, nil
}

// holdOut marks the searches with the smallest digests: nobody chose them.
func holdOut(queries []query, count int) {
	byDigest := map[string]*query{}
	for i := range queries {
		digest := sha256.Sum256([]byte(queries[i].text))
		byDigest[string(digest[:])] = &queries[i]
	}
	for _, digest := range slices.Sorted(maps.Keys(byDigest))[:count] {
		byDigest[digest].held = true
	}
}

// want adds the grades of one item: an entry's key with an optional :grade; @First_Last, everything by an author; #tag,
// everything with a tag; or concepts a+b, from which !c takes away what mentions c at all.
func (q *query) want(entries []entry, item string) error {
	author, byAuthor := strings.CutPrefix(item, "@")
	tag, byTag := strings.CutPrefix(item, "#")
	key, after, graded := strings.Cut(item, ":")
	wanted, without := parseConcepts(item)
	found := false
	for i := range entries {
		one := &entries[i]
		grade := 0
		switch {
		case byAuthor:
			if slices.Contains(one.credits, strings.ReplaceAll(author, "_", " ")) {
				grade = 3
			}
		case byTag:
			if slices.Contains(one.Tags, tag) {
				grade = 3
			}
		case one.key == key:
			grade = 3
			if graded {
				var err error
				if grade, err = strconv.Atoi(after); err != nil {
					return err
				}
			}
		default:
			grade = one.grade(wanted, without)
		}
		if grade > 0 {
			found = true
			q.grades[i] = max(q.grades[i], grade)
		}
	}
	if !found {
		return fmt.Errorf("no entry is %s", item)
	}
	return nil
}

// parseConcepts splits a+b!c into the concepts that are wanted and those that are excluded.
func parseConcepts(item string) (wanted, without []string) {
	parts := strings.Split(item, "!")
	return strings.Split(parts[0], "+"), parts[1:]
}

// grade judges an entry by what it was made from: 3 if it's about all concepts; 2 if it's about the first and mentions the
// others; 1 if it only mentions them, or is about the first alone.
func (e *entry) grade(wanted, without []string) int {
	mentions := func(key string) bool { return slices.Contains(e.about, key) || slices.Contains(e.mentioned, key) }
	about, mentioned := 0, 0
	for _, key := range wanted {
		if slices.Contains(e.about, key) {
			about++
		}
		if mentions(key) {
			mentioned++
		}
	}
	first := slices.Contains(e.about, wanted[0])
	switch {
	case slices.ContainsFunc(without, mentions):
		return 0
	case about == len(wanted):
		return 3
	case mentioned == len(wanted) && first:
		return 2
	case mentioned == len(wanted) || first:
		return 1
	}
	return 0
}

func (q *query) best() int {
	best := 0
	for _, grade := range q.grades {
		best = max(best, grade)
	}
	return best
}

// succeeds reports whether a wanted entry is among the first ones found.
func (q *query) succeeds(found []int, within int) bool {
	return slices.ContainsFunc(found[:min(within, len(found))], func(number int) bool { return q.grades[number] == 3 })
}

// gained returns the normalized discounted cumulative gain of the first ten, 0 to 1, with 2^grade-1 as the gain.
func (q *query) gained(found []int) float64 {
	grades := make([]int, 0, len(q.grades))
	for _, grade := range q.grades {
		grades = append(grades, grade)
	}
	slices.Sort(grades)
	slices.Reverse(grades)
	actual, ideal := 0.0, 0.0
	for i := range depth {
		discount := 1 / math.Log2(float64(i+2))
		if i < len(grades) {
			ideal += discount * (math.Exp2(float64(grades[i])) - 1)
		}
		if i < len(found) {
			actual += discount * (math.Exp2(float64(q.grades[found[i]])) - 1)
		}
	}
	return actual / ideal
}

// depth is the number of answers that count.
const depth = 10
