package xlsx

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"

	"cairn/internal/content/dataset/bounded"
)

const columnsLimit = 16_384 // of the format

// Rows reads the rows of a sheet that have a value, one after the other.
type Rows struct {
	Cells []string // of the row that was read last, up to its last value, at most as many as were asked for
	More  int      // how many there are behind those
	Cut   bool     // there are more rows, which are too far into the file

	book *Book
	in   *scanner
	most int
	err  error
}

// Rows opens a sheet; "" is the first one. It must be closed. ErrNoSheet is returned for a name that no sheet has.
func (b *Book) Rows(sheet string, columns int) (*Rows, error) {
	if sheet == "" && len(b.Sheets) > 0 {
		sheet = b.Sheets[0]
	}
	place := b.places[sheet]
	if place == "" {
		return nil, ErrNoSheet
	}
	in, err := b.open(place, sheetBytes)
	if err != nil {
		return nil, err
	}
	return &Rows{book: b, in: in, most: columns}, nil
}

// Close closes the sheet.
func (r *Rows) Close() error { return r.in.Close() }

// Err returns why reading ended early; nil at the end of the sheet, and where Cut is set.
func (r *Rows) Err() error { return r.err }

// Next reads a row, and returns false at the end.
func (r *Rows) Next() (found bool) {
	if r.err != nil || r.Cut {
		return false
	}
	defer func() {
		if errors.Is(r.err, bounded.ErrLimit) {
			r.err, r.Cut = nil, true
		}
		found = found && r.err == nil && !r.Cut
	}()
	defer bounded.Recover(&r.err)
	for {
		token, err := r.in.next()
		if errors.Is(err, io.EOF) {
			return false
		}
		if err != nil {
			r.err = err
			return false
		}
		element, ok := token.(xml.StartElement)
		if !ok || element.Name.Local != "row" {
			continue
		}
		if r.err = r.row(); r.err != nil || len(r.Cells) > 0 {
			return r.err == nil
		}
	}
}

// row reads the cells of a row.
func (r *Rows) row() error {
	r.Cells, r.More = r.Cells[:0], 0
	place := -1
	for {
		token, err := r.in.next()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.EndElement:
			if token.Name.Local == "row" {
				return nil
			}
		case xml.StartElement:
			if token.Name.Local != "c" {
				continue
			}
			place = placeOf(attribute(token, "r"), place+1)
			text, err := r.cell(token)
			if err != nil {
				return err
			}
			if text != "" && place < columnsLimit {
				r.set(place, text)
			}
		}
	}
}

func (r *Rows) set(place int, text string) {
	if place >= r.most {
		r.More = max(r.More, place+1-r.most)
		place, text = r.most-1, ""
	}
	for len(r.Cells) <= place {
		r.Cells = append(r.Cells, "")
	}
	if text != "" {
		r.Cells[place] = text
	}
}

// placeOf returns the column of a cell such as AB12, counted from 0; another number for one that doesn't say.
func placeOf(reference string, otherwise int) int {
	column := 0
	for _, letter := range []byte(reference) {
		if letter >= 'a' && letter <= 'z' {
			letter -= 'a' - 'A'
		}
		if letter < 'A' || letter > 'Z' || column > columnsLimit {
			break
		}
		column = column*26 + int(letter-'A') + 1
	}
	if column == 0 {
		return otherwise
	}
	return column - 1
}

// cell reads a cell, and returns its text as people read it.
func (r *Rows) cell(start xml.StartElement) (string, error) {
	var value string
	for {
		token, err := r.in.next()
		if errors.Is(err, io.EOF) {
			return "", io.ErrUnexpectedEOF
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.EndElement:
			if token.Name.Local == "c" {
				return r.shown(value, attribute(start, "t"), attribute(start, "s"))
			}
		case xml.StartElement:
			if name := token.Name.Local; name == "v" || name == "is" {
				if value, err = r.in.text(name); err != nil {
					return "", err
				}
			}
		}
	}
}

// shown returns the text of a stored value of a type and style.
func (r *Rows) shown(value, kind, style string) (string, error) {
	switch kind {
	case "s":
		number, err := strconv.Atoi(value)
		switch {
		case value == "":
			return "", nil
		case err != nil || number < 0 || number >= len(r.book.texts) && !r.book.cutTexts:
			return "", errDamaged
		case number >= len(r.book.texts):
			return "", bounded.ErrLimit
		}
		return r.book.texts[number], nil
	case "b":
		if isTrue(value) {
			return "TRUE", nil
		}
		return "FALSE", nil
	case "", "n":
		return r.number(value, style), nil
	default: // texts, dates as texts, errors such as #DIV/0!
		return value, nil
	}
}

// number returns the text of a number in a style; what isn't one stays as it is.
func (r *Rows) number(value, style string) string {
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	styled := kindNumber
	if at, err := strconv.Atoi(style); err == nil && at >= 0 && at < len(r.book.styles) {
		styled = r.book.styles[at]
	}
	return styled.text(number, value, r.book.from1904)
}
