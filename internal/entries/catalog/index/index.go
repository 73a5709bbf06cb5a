package index

import (
	"bytes"
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/tidwall/btree"
)

// Index contains all entries. Searches may run at any time, even while entries are applied; calls of Apply and Write
// must not overlap.
type Index struct {
	types []string
	slots chan struct{} // one for each processor: more searches at once would only slow down all of them

	mu        sync.RWMutex
	building  bool   // by a Builder, before anybody searches
	version   uint64 // increases with every change
	documents []document
	texts     textBlocks
	free      []uint32 // ordinals without a document
	ordinals  map[uuid.UUID]uint32

	terms         []term
	termByText    map[string]uint32
	sorted        btree.Map[string, uint32] // terms by text
	stems         map[string]uint32         // one more than the number of the last term with a stem; see term.stemmed
	prefixes      map[string]*prefix
	grams         map[gram]*set // entries by parts of their names
	wordsOfNames  map[gram]*set // numbers of terms that stand in names, by their parts
	tags          []tag
	tagsOf        column // the tags of entries
	tagByValue    map[string]uint32
	tagsByFold    map[string][]uint32
	popular       *btree.BTreeG[uint32] // tags, most used first
	authors       []author
	authorByEmail map[string]uint32
	kinds         []set // by position in types
	outcomes      [len(Outcomes)]set
	public        set
	words         int // of all descriptions

	byName, byNewest *btree.BTreeG[uint32]
	starred, used    *btree.BTreeG[uint32] // those with stars, and those in use, most first
	clean            *btree.BTreeG[uint32] // those that ran clean, the latest run first

	facets  facetCache
	bounds  bounds
	scanned atomic.Int64 // terms that searches looked at one by one; tests bound them
}

// bounds are the thresholds between different ways of computing the same result. Tests vary them randomly.
type bounds struct {
	walk    int // how much longer accessing a random entry takes than the next one in order
	forward int // up to this many entries, their tags are read one by one
	ranked  int // the maximum number of entries ranked by their words; the others follow, newest first
}

type document struct {
	id       uuid.UUID
	location location
	created  int64 // microseconds since 1970
	ran      int64 // as created; 0 without a run
	digest   uint64
	row      uint64 // see Document.Row
	stars    uint32
	used     uint32
	length   uint32 // words of the description
	kind     uint8
	outcome  uint8 // one more than its position in Outcomes; 0: none
	private  bool
}

type term struct {
	text     string
	prefixes [prefixLength]*prefix // of 1, 2, ... letters
	all      set                   // entries that have it anywhere
	inName   set
	inAuthor set
	named    bool   // it is in wordsOfNames
	stemmed  uint32 // one more than the number of the next term with the same stem; 0: none
}

// Has reports whether all of these entries are in the index.
func (ix *Index) Has(ids []string) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return !slices.ContainsFunc(ids, func(id string) bool {
		key, err := uuid.Parse(id)
		_, known := ix.ordinals[key]
		return err != nil || !known
	})
}

// Row says where an entry is kept as people read it.
type Row struct {
	Place uint64 // Document.Row; 0 for an entry that isn't in the index
	Stars int
}

// Rows returns the rows of entries in the order of their ids.
func (ix *Index) Rows(ids []string) []Row {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	result := make([]Row, len(ids))
	for i, id := range ids {
		if key, err := uuid.Parse(id); err == nil {
			if ordinal, known := ix.ordinals[key]; known {
				d := &ix.documents[ordinal]
				result[i] = Row{d.row, int(d.stars)}
			}
		}
	}
	return result
}

// EachRow replaces the rows of all entries that have one, in an index that nobody uses yet.
func (ix *Index) EachRow(replace func(row uint64) uint64) {
	for i := range ix.documents {
		if d := &ix.documents[i]; d.row > 0 {
			d.row = replace(d.row)
		}
	}
}

// column stores a list of numbers for each entry, one list after the other, so that counting reads memory sequentially.
type column struct {
	start  []uint32 // by ordinal: where its list begins with the length, followed by the numbers
	values []uint32
	live   int // number of values in use
}

func (c *column) of(ordinal uint32) []uint32 {
	begin := c.start[ordinal]
	return c.values[begin+1 : begin+1+c.values[begin]]
}

func (c *column) put(ordinal uint32, list []uint32) {
	if missing := int(ordinal) + 1 - len(c.start); missing > 0 {
		c.start = append(c.start, make([]uint32, missing)...)
	}
	if len(c.values) == 0 {
		c.values = append(c.values, 0) // the empty list, for entries without one
	}
	c.live += len(list) - len(c.of(ordinal))
	c.start[ordinal] = uint32(len(c.values))
	c.values = append(append(c.values, uint32(len(list))), list...)
	if len(c.values) > 2*(c.live+len(c.start))+1024 { // more than half belongs to replaced lists
		packed := column{start: make([]uint32, len(c.start)), values: make([]uint32, 1, c.live+len(c.start)+1), live: c.live}
		for i := range c.start {
			packed.start[i] = uint32(len(packed.values))
			kept := c.of(uint32(i))
			packed.values = append(append(packed.values, uint32(len(kept))), kept...)
		}
		*c = packed
	}
}

// prefix is the beginning of some words. Entries with any of them have a separate set once there are many such words;
// until then it is computed from the words' sets.
type prefix struct {
	words int
	all   *set // nil for few words
}

// fewWords is the maximum number of words whose sets are combined for each search.
const fewWords = 8

type tag struct {
	id, value string
	folded    string // see Fold
	all       set
	count     int // of all
	public    int // of the public ones
}

type author struct {
	email string // or personMark and the id of somebody who is credited
	all   set
}

// personMark begins what isn't an e-mail address, so no caller is mistaken for somebody who is credited.
const personMark = "\x00"

// New returns an empty index of entries of these types.
func New(types []string) *Index {
	ix := &Index{
		types: types, slots: make(chan struct{}, runtime.GOMAXPROCS(0)), ordinals: map[uuid.UUID]uint32{},
		termByText: map[string]uint32{}, stems: map[string]uint32{}, prefixes: map[string]*prefix{}, grams: map[gram]*set{}, wordsOfNames: map[gram]*set{}, tagByValue: map[string]uint32{},
		tagsByFold: map[string][]uint32{}, authorByEmail: map[string]uint32{}, kinds: make([]set, len(types)),
	}
	tree := func(compare func(a, b uint32) int) *btree.BTreeG[uint32] {
		return btree.NewBTreeGOptions(func(a, b uint32) bool { return compare(a, b) < 0 }, btree.Options{NoLocks: true})
	}
	ix.popular = tree(func(a, b uint32) int {
		x, y := &ix.tags[a], &ix.tags[b]
		return cmp.Or(cmp.Compare(y.count, x.count), strings.Compare(x.value, y.value))
	})
	ix.byName, ix.byNewest, ix.starred = tree(ix.compareNames), tree(ix.compareNewest), tree(ix.compareStars)
	ix.used, ix.clean = tree(ix.compareUsed), tree(ix.compareRan)
	ix.facets = newFacetCache()
	ix.bounds = bounds{walk: 4, forward: 100_000, ranked: 500}
	return ix
}

func (ix *Index) compareNames(a, b uint32) int {
	x, y := &ix.documents[a], &ix.documents[b]
	if byName := bytes.Compare(ix.textsOf(x).name, ix.textsOf(y).name); byName != 0 {
		return byName
	}
	return bytes.Compare(x.id[:], y.id[:])
}

func (ix *Index) compareNewest(a, b uint32) int {
	if byTime := cmp.Compare(ix.documents[b].created, ix.documents[a].created); byTime != 0 {
		return byTime
	}
	return ix.compareNames(a, b)
}

func (ix *Index) compareStars(a, b uint32) int {
	if byStars := cmp.Compare(ix.documents[b].stars, ix.documents[a].stars); byStars != 0 {
		return byStars
	}
	return ix.compareNames(a, b)
}

func (ix *Index) compareUsed(a, b uint32) int {
	if byUse := cmp.Compare(ix.documents[b].used, ix.documents[a].used); byUse != 0 {
		return byUse
	}
	return ix.compareNewest(a, b)
}

func (ix *Index) compareRan(a, b uint32) int {
	if byTime := cmp.Compare(ix.documents[b].ran, ix.documents[a].ran); byTime != 0 {
		return byTime
	}
	return ix.compareNewest(a, b)
}

// Len returns the number of entries.
func (ix *Index) Len() int {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return len(ix.ordinals)
}

// CompareTags orders tags: in the order of their letters, whatever their case.
func CompareTags(a, b string) int {
	return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
}

// Tags returns the tags of the entries that an e-mail may see, and of the private ones that are shown to it, by value.
func (ix *Index) Tags(email string, shown []string) []TagCount {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	own := map[uint32]int{}
	mine := privateOnes(ix, shown)
	if number, ok := ix.authorByEmail[email]; ok {
		mine.Or(ix.authors[number].all.bitmap())
	}
	for each := mine.Iterator(); each.HasNext(); {
		if ordinal := each.Next(); ix.documents[ordinal].private {
			for _, number := range ix.tagsOf.of(ordinal) {
				own[number]++
			}
		}
	}
	result := []TagCount{}
	for number := range ix.tags {
		one := &ix.tags[number]
		if count := one.public + own[uint32(number)]; count > 0 {
			result = append(result, TagCount{ID: one.id, Value: one.value, Count: count})
		}
	}
	slices.SortFunc(result, func(a, b TagCount) int { return CompareTags(a.Value, b.Value) })
	return result
}
