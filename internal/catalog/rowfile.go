package catalog

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"sync"
	"time"

	"cairn/internal/catalog/index"

	"github.com/google/uuid"
)

// rowFile keeps the rows of all entries in a file, where reading one takes microseconds: a database needs a hundred times
// as long for what a page shows, and memory would have to hold all texts of the catalog. The index knows the place of each
// row. A row that isn't there, for whatever reason, is read from the database.
type rowFile struct {
	id   string // of this file; places in others are of no use
	file *os.File

	adding  sync.Mutex // for size
	size    int64
	erasing sync.RWMutex
	buffers sync.Pool // of *[]byte, for reading
}

const (
	rowsMagic = "cairn catalog rows 4\n"
	rowsID    = 16 // length of the id after it, in bytes
	// A place is where a row begins, shifted by these bits, and its length. No entry is as long.
	rowLengthBits = 20
	// rowsUnused is the size of replaced rows from which a file that is mostly such is written again.
	rowsUnused = 64 << 20
)

// createRows creates an empty file, which replaces another at once. Without a path, it ends with the program.
func createRows(path string) (_ *rowFile, err error) {
	rows := &rowFile{id: rand.Text()[:rowsID], size: int64(len(rowsMagic) + rowsID)}
	if path == "" {
		rows.file, err = os.CreateTemp("", "cairn-rows-*")
	} else {
		rows.file, err = os.OpenFile(path+".new", os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	}
	if err != nil {
		return nil, err
	}
	if _, err = rows.file.WriteAt([]byte(rowsMagic+rows.id), 0); err == nil {
		if path == "" {
			err = os.Remove(rows.file.Name())
		} else {
			err = os.Rename(rows.file.Name(), path)
		}
	}
	if err != nil {
		rows.close()
		return nil, err
	}
	return rows, nil
}

// openRows opens the file with an id; any other is an error.
func openRows(path, id string) (*rowFile, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	begin := make([]byte, len(rowsMagic)+rowsID)
	_, err = io.ReadFull(file, begin)
	size, sizeErr := file.Seek(0, io.SeekEnd)
	if err = errors.Join(err, sizeErr); err == nil && string(begin) != rowsMagic+id {
		err = errors.New("the file has the rows of another index")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &rowFile{id: id, file: file, size: size}, nil
}

func (f *rowFile) close() { _ = f.file.Close() }

// add writes rows and returns their places.
func (f *rowFile) add(resources []Resource) ([]uint64, error) {
	var buffer []byte
	places := make([]uint64, len(resources))
	for i := range resources {
		begin := len(buffer)
		buffer = appendRow(buffer, &resources[i])
		places[i] = uint64(begin)<<rowLengthBits | uint64(len(buffer)-begin)
	}
	return places, f.append(buffer, places)
}

// append writes rows whose places are relative to the first, and makes these absolute.
func (f *rowFile) append(rows []byte, places []uint64) error {
	f.adding.Lock()
	defer f.adding.Unlock()
	if _, err := f.file.WriteAt(rows, f.size); err != nil {
		return err
	}
	for i := range places {
		places[i] += uint64(f.size) << rowLengthBits
	}
	f.size += int64(len(rows))
	return nil
}

// read reads a row, with its description if the whole row is wanted, and reports whether it is at this place.
func (f *rowFile) read(place uint64, id string, whole bool, into *Resource) bool {
	buffer, pooled := f.buffers.Get().(*[]byte)
	if !pooled {
		buffer = new([]byte)
	}
	defer f.buffers.Put(buffer)
	*buffer = slices.Grow((*buffer)[:0], rowLength(place))[:rowLength(place)]
	return f.fill(place, *buffer) == nil && parseRow(*buffer, id, whole, into)
}

func (f *rowFile) fill(place uint64, buffer []byte) error {
	f.erasing.RLock()
	defer f.erasing.RUnlock()
	_, err := f.file.ReadAt(buffer, int64(place>>rowLengthBits))
	return err
}

func rowLength(place uint64) int { return int(place & (1<<rowLengthBits - 1)) }

// erase overwrites rows that no entry has anymore: what is deleted shouldn't stay on the disk.
func (f *rowFile) erase(places []uint64) error {
	f.erasing.Lock()
	defer f.erasing.Unlock()
	var faults []error
	for _, place := range places {
		_, err := f.file.WriteAt(make([]byte, rowLength(place)), int64(place>>rowLengthBits))
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// compacted returns a file with only the rows of an index that nobody uses yet; the same file unless most of it, and more
// than some bytes, is unused.
func (f *rowFile) compacted(path string, ix *index.Index, unused int64) (*rowFile, error) {
	used := int64(0)
	ix.EachRow(func(place uint64) uint64 {
		used += int64(rowLength(place))
		return place
	})
	if f.size-used < max(used, unused) {
		return f, nil
	}
	fresh, err := createRows(path)
	if err != nil {
		return nil, err
	}
	defer f.close()
	ix.EachRow(func(place uint64) uint64 {
		content := make([]byte, rowLength(place))
		moved := []uint64{uint64(len(content))}
		if f.fill(place, content) != nil || fresh.append(content, moved) != nil {
			return 0
		}
		return moved[0]
	})
	return fresh, nil
}

// texts are the texts of a row, except its description, in the order in which they are stored.
func (r *Resource) texts() []*string {
	return []*string{
		&r.card, &r.ExternalID, &r.Name, (*string)(&r.Type), &r.HeaderImage, &r.AddedBy, (*string)(&r.Privacy),
		(*string)(&r.Status), &r.State, &r.RepositoryURL, &r.DatasetURL, &r.NotebookPath, &r.ApplicationInterfaceID, &r.Version,
		&r.License, &r.DOI, &r.Language, &r.HostID, &r.HiddenReason,
	}
}

// texts are the texts of a last run in the order in which rows store them.
func (l *LastRun) texts() []*string {
	return []*string{&l.ID, &l.File, (*string)(&l.Verdict), &l.Commit, (*string)(&l.Needs), &l.Reason}
}

func (c *LastRunCells) counts() []*int { return []*int{&c.Total, &c.Ran, &c.Compared, &c.Differs} }

// Flags of a row.
const (
	rowHidden = 1 << iota
	rowFeatured
	rowRan
	rowMoved
	rowNeeds
)

// appendRow appends an entry: its id, flags, the length of what a card shows, that, the lists that only a whole entry shows,
// as JSON after its length, and the description. A card shows times in microseconds, texts, tags, authors, credited people,
// the last run and the needs. The number of stars is the index's.
func appendRow(buffer []byte, r *Resource) []byte {
	id, _ := uuid.Parse(r.ID) // otherwise the row is never found
	one := *r
	one.card = plainText(r.Description, cardLength)
	var flags byte
	if r.Hidden {
		flags |= rowHidden
	}
	if r.Featured {
		flags |= rowFeatured
	}
	if r.LastRun != nil {
		flags |= rowRan
		if r.LastRun.Moved {
			flags |= rowMoved
		}
	}
	if r.Needs != nil {
		flags |= rowNeeds
	}
	var card []byte
	card = binary.AppendVarint(card, r.CreatedAt.UnixMicro())
	card = binary.AppendVarint(card, r.UpdatedAt.UnixMicro())
	var issued int64
	if r.IssuedAt != nil {
		issued = r.IssuedAt.UnixMicro()
	}
	card = binary.AppendVarint(card, issued)
	text := func(text string) { card = append(binary.AppendUvarint(card, uint64(len(text))), text...) }
	count := func(count int) { card = binary.AppendUvarint(card, uint64(count)) }
	for _, one := range one.texts() {
		text(*one)
	}
	count(len(r.Tags))
	for _, tag := range r.Tags {
		text(tag.ID)
		text(tag.Value)
	}
	count(len(r.Authors))
	for _, author := range r.Authors {
		text(author)
	}
	count(len(r.People))
	for _, person := range r.People {
		text(person.Name)
		text(person.ORCID)
		text(person.Email)
		text(string(person.Role))
		affiliation := cmp.Or(person.Affiliation, &Organization{})
		text(affiliation.Name)
		text(affiliation.ROR)
	}
	if last := r.LastRun; last != nil {
		for _, one := range last.texts() {
			text(*one)
		}
		card = binary.AppendVarint(card, last.At.UnixMicro())
		card = binary.AppendUvarint(card, math.Float64bits(last.Seconds))
		card = binary.AppendVarint(card, last.PeakMemoryBytes)
		for _, one := range last.Cells.counts() {
			card = binary.AppendUvarint(card, uint64(*one))
		}
	}
	if needs := r.Needs; needs != nil {
		card = binary.AppendVarint(card, needs.MemoryBytes)
		card = binary.AppendUvarint(card, math.Float64bits(needs.CPUs))
		count(needs.GPUs)
	}
	buffer = append(append(buffer, id[:]...), flags)
	buffer = append(binary.AppendUvarint(buffer, uint64(len(card))), card...)
	lists := rowLists{r.Funding, r.RelatedIdentifiers}.stored()
	buffer = append(binary.AppendUvarint(buffer, uint64(len(lists))), lists...)
	return append(buffer, r.Description...)
}

// parseRow reads what appendRow wrote of an entry, the description only if the whole row is wanted. It returns false if the
// content is another entry's, or damaged.
func parseRow(content []byte, id string, whole bool, one *Resource) bool {
	key, err := uuid.Parse(id)
	if err != nil || key.String() != id || len(content) <= len(key) || !bytes.Equal(content[:len(key)], key[:]) {
		return false
	}
	flags, rest := content[len(key)], content[len(key)+1:]
	length, used := binary.Uvarint(rest)
	if used <= 0 || length > uint64(len(rest)-used) {
		return false
	}
	rest = rest[used:]
	in := rowReader{rest: string(rest[:length])} // one copy: all texts are parts of it
	if whole {
		if !parseLists(rest[length:], one) {
			return false
		}
	}
	one.ID, one.Hidden, one.Featured = id, flags&rowHidden != 0, flags&rowFeatured != 0
	one.CreatedAt, one.UpdatedAt = time.UnixMicro(in.signed()).UTC(), time.UnixMicro(in.signed()).UTC()
	if issued := in.signed(); issued != 0 {
		at := time.UnixMicro(issued).UTC()
		one.IssuedAt = &at
	}
	for _, text := range one.texts() {
		*text = in.text()
	}
	one.Tags = make([]Tag, in.count())
	for i := range one.Tags {
		one.Tags[i] = Tag{in.text(), in.text()}
	}
	one.Authors = make([]string, in.count())
	for i := range one.Authors {
		one.Authors[i] = in.text()
	}
	if people := in.count(); people > 0 {
		one.People = make([]Credit, people)
		for i := range one.People {
			person := Credit{Name: in.text(), ORCID: in.text(), Email: in.text(), Role: Role(in.text())}
			if affiliation := (Organization{in.text(), in.text()}); affiliation != (Organization{}) {
				person.Affiliation = &affiliation
			}
			one.People[i] = person
		}
	}
	if flags&rowRan != 0 {
		last := &LastRun{Moved: flags&rowMoved != 0}
		for _, text := range last.texts() {
			*text = in.text()
		}
		last.At = time.UnixMicro(in.signed()).UTC()
		last.Seconds = math.Float64frombits(in.unsigned())
		last.PeakMemoryBytes = in.signed()
		for _, count := range last.Cells.counts() {
			*count = int(in.unsigned())
		}
		one.LastRun = last
	}
	if flags&rowNeeds != 0 {
		one.Needs = &Needs{in.signed(), math.Float64frombits(in.unsigned()), int(in.unsigned())}
	}
	return !in.damaged && in.rest == ""
}

// rowLists are the lists of an entry that its card doesn't show.
type rowLists struct {
	Funding            []Funding           `json:",omitempty"`
	RelatedIdentifiers []RelatedIdentifier `json:",omitempty"`
}

func (l rowLists) stored() []byte {
	if len(l.Funding)+len(l.RelatedIdentifiers) == 0 {
		return nil
	}
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // plain texts
	}
	return text
}

// parseLists reads the end of a row: the lists and the description.
func parseLists(content []byte, one *Resource) bool {
	length, used := binary.Uvarint(content)
	if used <= 0 || length > uint64(len(content)-used) {
		return false
	}
	text := content[used:][:length]
	one.Description = string(content[used:][length:])
	if len(text) == 0 {
		return true
	}
	var lists rowLists
	err := json.Unmarshal(text, &lists)
	one.Funding, one.RelatedIdentifiers = lists.Funding, lists.RelatedIdentifiers
	return err == nil
}

type rowReader struct {
	rest    string
	damaged bool
}

func (in *rowReader) unsigned() uint64 {
	var value uint64
	for i := 0; i < len(in.rest) && i < binary.MaxVarintLen64; i++ {
		value |= uint64(in.rest[i]&0x7f) << (7 * i)
		if in.rest[i] < 0x80 {
			in.rest = in.rest[i+1:]
			return value
		}
	}
	in.damaged = true
	return 0
}

func (in *rowReader) signed() int64 {
	value := in.unsigned()
	return int64(value>>1) ^ -int64(value&1) // as in binary.Varint
}

// count reads a number of bytes, or of texts, each of which has a byte at least.
func (in *rowReader) count() int {
	value := in.unsigned()
	if value > uint64(len(in.rest)) {
		in.damaged = true
		return 0
	}
	return int(value)
}

func (in *rowReader) text() string {
	length := in.count()
	text := in.rest[:length]
	in.rest = in.rest[length:]
	return text
}
