package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"cairn/internal/content/dataset/bounded"
)

// Limits of a file.
const (
	footerBytes   = 8 << 20  // what the file says about itself
	readBytes     = 48 << 20 // packed pages
	unpackedBytes = 128 << 20
	pageBytes     = 16 << 20 // of one page, packed or not
	heldBytes     = 40 << 20 // of all pages that are held at a time
	groupsLimit   = 2_000
	valuesLimit   = 3_000_000 // decoded
)

// Errors that are about the whole file; others say that it is damaged.
var (
	// ErrEncrypted is returned for files whose content is encrypted.
	ErrEncrypted = errors.New("the file is encrypted")
	// ErrUnknown is returned for compressions and encodings that this package doesn't read.
	ErrUnknown = errors.New("the file is packed in a way that isn't known here")
)

// File is a Parquet file.
type File struct {
	Rows    int64
	Columns []Column // flattened: a field of a structure is a column of its own

	source *bounded.Reader
	groups []group
	work   work
}

// Column is a column of a file.
type Column struct {
	Name string // of fields in structures the names on the way, with dots
	Type string // as people call it: "int64", "timestamp[µs, UTC]", "list"
	Text bool   // its values are texts, even where they look like numbers

	field *node
}

// group is a part of the rows.
type group struct {
	rows   int64
	chunks []chunk // by leaf
}

// chunk is where the values of a leaf in a group are.
type chunk struct {
	offset, length int64
	values         int64
	codec          int64
}

// work is what may still be done for a file.
type work struct{ unpacked, held, values int64 }

var magic, encryptedMagic = []byte("PAR1"), []byte("PARE")

// Open reads what a file says about itself, and where its first rows are, at most a number. ErrLimit of
// bounded is returned for a file that is too large, and the context's error when it ends.
func Open(ctx context.Context, file io.ReaderAt, size, rows int64) (opened *File, err error) {
	defer bounded.Recover(&err)
	source := bounded.New(ctx, file, footerBytes+8)
	end, err := source.Bytes(size-8, 8)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	switch length := int64(binary.LittleEndian.Uint32(end)); {
	case string(end[4:]) == string(encryptedMagic):
		return nil, ErrEncrypted
	case string(end[4:]) != string(magic):
		return nil, errDamaged
	default:
		footer, err := source.Bytes(size-8-length, length)
		if err != nil {
			return nil, err
		}
		source.Allow(readBytes)
		opened = &File{source: source, work: work{unpackedBytes, heldBytes, valuesLimit}}
		return opened, opened.parse(footer, rows)
	}
}

func (f *File) parse(footer []byte, rows int64) error {
	var list []element
	var covered int64
	t := thrift{rest: footer}
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 2 && kind == thriftList:
			t.list(func(byte) {
				if list = append(list, t.element()); len(list) > nodesLimit {
					t.fail()
				}
			})
		case id == 3 && kind == thriftI64:
			f.Rows = max(t.integer(), 0)
		case id == 4 && kind == thriftList:
			t.list(func(byte) {
				if covered >= rows || len(f.groups) >= groupsLimit {
					t.skip(thriftStruct, thriftDepth)
					return
				}
				one := t.group()
				if one.rows > 0 {
					f.groups = append(f.groups, one)
					covered += one.rows
				}
			})
		default:
			return false
		}
		return true
	})
	if t.err != nil {
		return t.err
	}
	root, err := tree(list)
	if err != nil {
		return err
	}
	f.flatten(root, "")
	leaves := root.leaves()
	for _, each := range f.groups {
		if len(each.chunks) != len(leaves) {
			return errDamaged
		}
	}
	return nil
}

func (t *thrift) group() (found group) {
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftList:
			t.list(func(byte) {
				if found.chunks = append(found.chunks, t.chunk()); len(found.chunks) > nodesLimit {
					t.fail()
				}
			})
		case id == 3 && kind == thriftI64:
			found.rows = t.integer()
		default:
			return false
		}
		return true
	})
	return found
}

// chunk reads where a column's values are. One that is in another file, or whose place is encrypted, has no length.
func (t *thrift) chunk() (found chunk) {
	elsewhere := false
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftBinary:
			elsewhere = len(t.binary()) > 0
		case id == 3 && kind == thriftStruct:
			found = t.chunkPlace()
		default:
			return false
		}
		return true
	})
	if elsewhere {
		return chunk{}
	}
	return found
}

func (t *thrift) chunkPlace() (found chunk) {
	dictionary := int64(0)
	t.fields(func(id int16, kind byte) bool {
		var into *int64
		switch id {
		case 4:
			into = &found.codec
		case 5:
			into = &found.values
		case 7:
			into = &found.length
		case 9:
			into = &found.offset
		case 11:
			into = &dictionary
		}
		if into == nil || kind != thriftI32 && kind != thriftI64 {
			return false
		}
		*into = t.integer()
		return true
	})
	if dictionary > 0 && dictionary < found.offset {
		found.offset = dictionary
	}
	return found
}

// flatten lists the columns. Fields of structures are columns, unless they are in lists.
func (f *File) flatten(from *node, before string) {
	for _, field := range from.children {
		name := before + field.name
		if field.leaf < 0 && !field.repeated && field.meaning != meansList && field.meaning != meansMap && len(field.children) > 0 {
			f.flatten(field, name+".")
			continue
		}
		isText := field.leaf < 0 || field.repeated || field.meaning == meansText || field.meaning == meansUUID ||
			field.meaning == meansItself && field.physical >= typeBytes
		f.Columns = append(f.Columns, Column{name, field.typeName(), isText, field})
	}
}

// Read calls a function with the text of a column in each of the first rows, "" for no value, until it returns false.
// Structures and lists are in JSON. ErrLimit of bounded is returned where reading on would take too much.
func (f *File) Read(column int, rows int64, each func(row int64, text string) bool) (err error) {
	defer bounded.Recover(&err)
	field := f.Columns[column].field
	row := int64(0)
	for _, group := range f.groups {
		if row >= rows {
			break
		}
		cells, err := f.cellsOf(field, group)
		if err != nil {
			return err
		}
		for left := group.rows; left > 0 && row < rows; left-- {
			text, err := cells.next()
			if err != nil {
				cells.release()
				return err
			}
			if !each(row, text) {
				cells.release()
				return nil
			}
			row++
		}
		cells.release()
	}
	return nil
}
