package xlsx

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"cairn/internal/content/dataset/bounded"
)

// Limits of a file.
const (
	directoryBytes = 1 << 20 // of the archive's list of parts: about 20,000, each of which takes a few hundred bytes of memory
	readBytes      = 64 << 20
	indexBytes     = 2 << 20 // unpacked, of each part about the whole file
	textsBytes     = 4 << 20 // unpacked, of the texts that cells refer to
	sheetBytes     = 6 << 20
	sheetsLimit    = 100
)

// Errors that are about the whole file; others say that it is damaged.
var (
	// ErrProtected is returned for a file in the container of older formats, which is also that of encrypted ones.
	ErrProtected = errors.New("the file is protected by a password, or is of an older format")
	// ErrNoSheet is returned when there is no sheet of a name, or none at all.
	ErrNoSheet = errors.New("there is no such sheet")
	errDamaged = errors.New("the file is damaged")
)

// Book is a spreadsheet.
type Book struct {
	Sheets []string // the names of those that people see, in their order, at most 100

	parts    map[string]*zip.File
	places   map[string]string // parts by names of sheets
	texts    []string          // that cells refer to by number
	cutTexts bool              // there are more
	styles   []kind            // of cells by number
	from1904 bool              // dates count from 1904 rather than 1900
}

// Open reads what a spreadsheet says about itself. ErrLimit of bounded is returned for one that is too large, and the
// context's error when it ends.
func Open(ctx context.Context, file io.ReaderAt, size int64) (book *Book, err error) {
	defer bounded.Recover(&err)
	source := bounded.New(ctx, file, readBytes)
	if begin, err := source.Bytes(0, 8); err == nil && binary.BigEndian.Uint64(begin) == 0xD0CF11E0A1B11AE1 {
		return nil, ErrProtected
	}
	source.Allow(directoryBytes)
	archive, err := zip.NewReader(source, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names of parts are only compared
		return nil, err
	}
	source.Allow(readBytes)
	book = &Book{parts: make(map[string]*zip.File, len(archive.File)), places: map[string]string{}}
	for _, part := range archive.File {
		book.parts[strings.ToLower(strings.TrimPrefix(part.Name, "/"))] = part
	}
	return book, book.index()
}

// index reads which parts the file has, and all of them but the sheets.
func (b *Book) index() error {
	main := "xl/workbook.xml"
	roots, err := b.related("")
	if err != nil {
		return err
	}
	for _, each := range roots {
		if each.kind == "officeDocument" {
			main = each.target
		}
	}
	related, err := b.related(main)
	if err != nil {
		return err
	}
	for _, each := range related {
		switch each.kind {
		case "styles":
			err = b.readStyles(each.target)
		case "sharedStrings":
			err = b.readTexts(each.target)
		}
		if err != nil {
			return err
		}
	}
	return b.readSheets(main, related)
}

// relation is a part that another part refers to.
type relation struct{ id, kind, target string }

// related returns the parts that a part refers to; none if it doesn't say.
func (b *Book) related(part string) (found []relation, err error) {
	folder, name := path.Split(part)
	err = b.scan(folder+"_rels/"+name+".rels", indexBytes, func(element xml.StartElement, _ *scanner) error {
		target := attribute(element, "Target")
		if element.Name.Local != "Relationship" || attribute(element, "TargetMode") == "External" {
			return nil
		}
		if !strings.HasPrefix(target, "/") {
			target = path.Join("/", folder, target)
		}
		found = append(found, relation{attribute(element, "Id"), path.Base(attribute(element, "Type")), strings.TrimPrefix(target, "/")})
		return nil
	})
	if errors.Is(err, errNoPart) {
		err = nil
	}
	return found, err
}

// readSheets reads the names of the sheets. Hidden ones are left out.
func (b *Book) readSheets(main string, related []relation) error {
	targets := map[string]string{}
	for _, each := range related {
		if each.kind == "worksheet" {
			targets[each.id] = each.target
		}
	}
	return b.scan(main, indexBytes, func(element xml.StartElement, _ *scanner) error {
		switch element.Name.Local {
		case "workbookPr":
			b.from1904 = isTrue(attribute(element, "date1904"))
		case "sheet":
			name, target := attribute(element, "name"), targets[attribute(element, "id")]
			if state := attribute(element, "state"); target != "" && (state == "" || state == "visible") && b.places[name] == "" && len(b.Sheets) < sheetsLimit {
				b.Sheets = append(b.Sheets, name)
				b.places[name] = target
			}
		}
		return nil
	})
}

// longestText is the most that is kept of a cell's text, in bytes.
const longestText = 2_000

// readTexts reads the texts that cells refer to. Of more than may be read, the first ones are kept.
func (b *Book) readTexts(part string) error {
	err := b.scan(part, textsBytes, func(element xml.StartElement, in *scanner) error {
		if element.Name.Local != "si" {
			return nil
		}
		text, err := in.text("si")
		if err == nil {
			b.texts = append(b.texts, text)
		}
		return err
	})
	b.cutTexts = errors.Is(err, bounded.ErrLimit)
	if b.cutTexts || errors.Is(err, errNoPart) {
		err = nil
	}
	return err
}

var errNoPart = fmt.Errorf("%w: it lacks a part", errDamaged)

// scan calls a function for every element of a part.
func (b *Book) scan(part string, limit int64, each func(xml.StartElement, *scanner) error) error {
	in, err := b.open(part, limit)
	if err != nil {
		return err
	}
	defer in.Close()
	for {
		switch token, err := in.next(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		default:
			if element, ok := token.(xml.StartElement); ok {
				if err := each(element, in); err != nil {
					return err
				}
			}
		}
	}
}

// open opens a part, of which at most limit bytes may be unpacked.
func (b *Book) open(part string, limit int64) (*scanner, error) {
	file := b.parts[strings.ToLower(part)]
	if file == nil {
		return nil, errNoPart
	}
	unpacked, err := file.Open()
	if err != nil {
		return nil, err
	}
	return newScanner(unpacked, limit), nil
}

func attribute(element xml.StartElement, name string) string {
	for _, each := range element.Attr {
		if each.Name.Local == name {
			return each.Value
		}
	}
	return ""
}

func isTrue(value string) bool { return value == "1" || value == "true" }
