package dataset

import (
	"context"
	"errors"
	"os"

	"cairn/internal/content/dataset/bounded"
	"cairn/internal/content/dataset/parquet"
)

// columnar returns the beginning of a Parquet file, which is read column by column.
func columnar(ctx context.Context, file *os.File, size int64, _ string) (Table, error) {
	opened, err := parquet.Open(ctx, file, size, rowsRead)
	if err != nil {
		return Table{}, unreadable(ctx, err)
	}
	table := newTable(size)
	table.Header, table.TotalRows = true, &opened.Rows
	width := min(len(opened.Columns), columnsLimit)
	rows := min(opened.Rows, rowsRead, int64(cellsRead/max(width, 1)))
	table.RowsRead = int(rows)
	room := cellsBytes
	var columns []column
	var names []string
	for i, about := range opened.Columns[:width] {
		one, cells, read := column{isText: about.Text, typeName: about.Type}, []string{}, int64(0)
		err = opened.Read(i, rows, func(row int64, text string) bool {
			one.add(int(row), []byte(text))
			if len(cells) < min(rowsShown, table.RowsRead) {
				cells = append(cells, shorten(text))
			}
			read++
			return true
		})
		if err == nil && read < rows {
			err = errDamagedFile // it has fewer rows than it says
		}
		if errors.Is(err, bounded.ErrLimit) && i > 0 {
			break // what is left is not shown
		}
		if err != nil {
			return Table{}, unreadable(ctx, err)
		}
		columns, names = append(columns, one), append(names, about.Name)
		for row, text := range cells {
			if row == len(table.Rows) {
				table.Rows = append(table.Rows, []string{})
			}
			table.Rows[row] = append(table.Rows[row], text)
		}
	}
	table.MoreColumns = len(opened.Columns) - len(columns)
	for i, row := range table.Rows {
		if room <= 0 {
			table.Rows = table.Rows[:i]
			break
		}
		for _, cell := range row {
			room -= len(cell)
		}
	}
	table.Complete = rows == opened.Rows
	table.describe(columns, names)
	return table, nil
}
