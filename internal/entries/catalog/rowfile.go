package catalog

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"sync"

	"cairn/internal/entries/catalog/index"

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
	rowsMagic = "cairn catalog rows 6\n"
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
func (f *rowFile) add(resources []Entry) ([]uint64, error) {
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
func (f *rowFile) read(place uint64, id string, whole bool, into *Entry) bool {
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

// appendRow appends an entry: its id, the length of what a card shows, that, and what only whole rows have.
func appendRow(buffer []byte, r *Entry) []byte {
	id, _ := uuid.Parse(r.ID) // otherwise the row is never found
	var short, rest rowWriter
	for i := range fields {
		switch one := &fields[i]; {
		case one.save == nil:
		case one.alone:
			one.save(&rest, r)
		default:
			one.save(&short, r)
		}
	}
	buffer = binary.AppendUvarint(append(buffer, id[:]...), uint64(len(short)))
	return append(append(buffer, short...), rest...)
}

// parseRow reads what appendRow wrote of an entry, all of it if the whole row is wanted. It returns false if the content is
// another entry's, or damaged.
func parseRow(content []byte, id string, whole bool, one *Entry) bool {
	key, err := uuid.Parse(id)
	if err != nil || key.String() != id || len(content) <= len(key) || !bytes.Equal(content[:len(key)], key[:]) {
		return false
	}
	content = content[len(key):]
	length, used := binary.Uvarint(content)
	if used <= 0 || length > uint64(len(content)-used) {
		return false
	}
	content = content[used:]
	one.ID = id
	return parseFields(content[:length], false, one) && (!whole || parseFields(content[length:], true, one))
}

func parseFields(content []byte, alone bool, one *Entry) bool {
	in := rowReader{rest: string(content)} // one copy: all texts are parts of it
	for i := range fields {
		if f := &fields[i]; f.load != nil && f.alone == alone {
			f.load(&in, one)
		}
	}
	return !in.damaged && in.rest == ""
}
