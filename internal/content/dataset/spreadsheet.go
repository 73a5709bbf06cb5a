package dataset

import (
	"context"
	"os"
	"strings"

	"cairn/internal/content/dataset/xlsx"
	"cairn/internal/foundation/fault"
)

// spreadsheet returns the beginning of a sheet; "" is the first one.
func spreadsheet(ctx context.Context, file *os.File, size int64, sheet string) (Table, error) {
	book, err := xlsx.Open(ctx, file, size)
	if err != nil {
		return Table{}, unreadable(ctx, err)
	}
	table := newTable(size)
	table.Sheets = book.Sheets
	if sheet == "" && len(book.Sheets) > 0 {
		sheet = book.Sheets[0]
	}
	table.Sheet = sheet
	rows, err := book.Rows(sheet, columnsLimit)
	if err != nil {
		return Table{}, unreadable(ctx, err)
	}
	defer rows.Close()
	source := &sheetRows{rows: rows}
	first := source.sample()
	if len(first) == 0 && rows.Cut {
		return Table{}, errTooLarge
	}
	names, _ := findHeader(first)
	if table.Header = names != nil; table.Header {
		source.next()
		table.MoreColumns = source.dropped()
	}
	table.read(source, names)
	table.Uneven = 0 // rows of a sheet end with their last value
	table.Complete = table.Complete && !rows.Cut
	if rows.Err() != nil && table.RowsRead == 0 {
		return Table{}, unreadable(ctx, rows.Err())
	}
	table.Complete = table.Complete && rows.Err() == nil
	return table, ctx.Err()
}

// sheetRows gives the rows of a sheet to a table: those that were read as a sample once more.
type sheetRows struct {
	rows    *xlsx.Rows
	sampled []sampledRow
	current [][]byte
	more    int
}

type sampledRow struct {
	cells []string
	more  int
}

// sample reads the first rows.
func (s *sheetRows) sample() (rows [][]string) {
	for len(rows) < sampleRows && s.rows.Next() {
		cells := append([]string(nil), s.rows.Cells...)
		s.sampled = append(s.sampled, sampledRow{cells, s.rows.More})
		rows = append(rows, cells)
	}
	return rows
}

func (s *sheetRows) next() bool {
	var cells []string
	switch {
	case len(s.sampled) > 0:
		cells, s.more = s.sampled[0].cells, s.sampled[0].more
		s.sampled = s.sampled[1:]
	case s.rows.Next():
		cells, s.more = s.rows.Cells, s.rows.More
	default:
		return false
	}
	s.current = s.current[:0]
	for _, cell := range cells {
		s.current = append(s.current, []byte(strings.ToValidUTF8(cell, "\ufffd")))
	}
	return true
}

func (s *sheetRows) row() [][]byte { return s.current }

func (s *sheetRows) dropped() int { return s.more }

var errNoSheet = fault.InvalidField("query.sheet", "This file has no sheet of this name.")
