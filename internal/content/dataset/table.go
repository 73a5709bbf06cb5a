package dataset

import (
	"bytes"
	"context"
	"os"
	"path"
	"strconv"
	"strings"

	"cairn/internal/foundation/plaintext"
)

// Limits of tables.
const (
	tableBytes = 4 << 20 // read from a file
	rowsRead   = 5_000   // used for summaries and plots
	cellsRead  = 150_000 // likewise, so fewer rows of wide tables
	rowsShown  = 100
	cellLength = 200       // characters shown of a cell
	cellsBytes = 512 << 10 // of all cells shown
)

// Table is the beginning of a table: a text with a record on each line, a sheet of a spreadsheet, a Parquet file.
type Table struct {
	Path        string        `json:"path"`
	Size        int64         `json:"size" doc:"Bytes of the whole file"`
	Columns     []TableColumn `json:"columns" doc:"The first 60"`
	MoreColumns int           `json:"moreColumns" doc:"How many columns there are besides"`
	Rows        [][]string    `json:"rows" doc:"The first 100, fewer where cells are large; each has a cell for every column, cut to 200 characters"`
	RowsRead    int           `json:"rowsRead" doc:"How many rows kinds, summaries and plots come from: the first 5,000, fewer of wide tables, and those in the first 4 MiB"`
	Complete    bool          `json:"complete" doc:"The file has no more rows than those"`
	Uneven      int           `json:"uneven" doc:"Rows that have not as many cells as there are columns"`
	Header      bool          `json:"header" doc:"The file names its columns"`
	Delimiter   string        `json:"delimiter,omitempty" doc:"Of a text"`
	Encoding    string        `json:"encoding,omitempty" enum:"UTF-8,UTF-16,UTF-32,Windows-1252" doc:"Of a text"`
	TotalRows   *int64        `json:"totalRows,omitempty" doc:"How many rows there are, where the file says so: a Parquet file"`
	Sheet       string        `json:"sheet,omitempty" doc:"Of a spreadsheet: the sheet that is shown"`
	Sheets      []string      `json:"sheets,omitempty" doc:"Of a spreadsheet: the names of its sheets that aren't hidden, 100 at most"`
	OrderedBy   *int          `json:"orderedBy,omitempty" doc:"Position of the first column that rises from row to row; plots are drawn against it, otherwise against the number of the row"`
	Plotted     *int          `json:"plotted,omitempty" doc:"Position of the column that a plot shows first: of the numbers drawn against orderedBy, those with the widest range"`
}

// TableColumn describes a column from the rows that were read.
type TableColumn struct {
	Name    string         `json:"name" doc:"As the file has it, which may be empty; Column 1 and so on where it names no columns"`
	Kind    string         `json:"kind" enum:"NUMBER,DATE,TEXT,EMPTY" doc:"What nine of ten of its values are; moments are drawn as milliseconds since 1970"`
	Type    string         `json:"type,omitempty" doc:"What the file calls the type of its values; a Parquet file"`
	Missing int            `json:"missing" doc:"Rows without a value"`
	Numbers *ColumnNumbers `json:"numbers,omitempty" doc:"For NUMBER"`
}

// Table returns the beginning of a file as a table; Invalid when it isn't what its name says, TooLarge when too much of it
// would have to be read. Of a spreadsheet it returns a sheet, the first one for "".
func (t *Tree) Table(ctx context.Context, name, sheet string) (Table, error) {
	table, err := t.table(ctx, name, sheet)
	table.Path = name
	return table, err
}

func (t *Tree) table(ctx context.Context, name, sheet string) (Table, error) {
	read, isBinary := binaryTables[strings.ToLower(path.Ext(name))]
	if !isBinary {
		begin, err := t.read(name, tableBytes, PreviewTable)
		if err != nil {
			return Table{}, err
		}
		return readTable(begin)
	}
	file, size, err := t.open(name)
	if err != nil {
		return Table{}, err
	}
	defer file.Close()
	return read(ctx, file, size, sheet)
}

// binaryTables are the readers of tables that aren't texts, by lower-case extensions.
var binaryTables = map[string]func(ctx context.Context, file *os.File, size int64, sheet string) (Table, error){
	".xlsx": spreadsheet, ".xlsm": spreadsheet, ".parquet": columnar, ".pq": columnar,
}

// newTable returns a table without columns and rows, of a file of a size in bytes.
func newTable(size int64) Table {
	return Table{Size: size, Columns: []TableColumn{}, Rows: [][]string{}, Complete: true}
}

// readTable parses the beginning of a file into a table.
func readTable(begin content) (Table, error) {
	text, encoding, ok := plaintext.Decode(begin.bytes, begin.whole)
	if !ok {
		return Table{}, errNoText
	}
	if end := bytes.LastIndexByte(text, '\n'); !begin.whole && end >= 0 {
		text = text[:end+1] // the last line is incomplete
	}
	text, comment, marked := withoutComments(text)
	text, delimiter := withoutSeparator(text)
	var first [][]string
	if delimiter != 0 {
		first = sample(text, delimiter)
	} else if delimiter, first = findDelimiter(text); delimiter == ' ' {
		text = tabbed(text)
	}
	table := newTable(begin.size)
	table.Complete, table.Delimiter, table.Encoding = begin.whole, string(delimiter), encoding
	source := &records{rest: text, delimiter: delimiter}
	if delimiter == ' ' {
		source.delimiter = '\t'
	}
	names, sure := findHeader(first)
	if named := sample([]byte(comment), source.delimiter); !sure && len(named) == 1 && len(first) > 0 && len(named[0]) == len(first[0]) && len(first[0]) > 1 {
		names, table.Header = named[0], true
	} else if table.Header = names != nil && (sure || !marked); !table.Header {
		names = nil
	} else {
		source.next()
		table.MoreColumns = source.dropped()
	}
	table.read(source, names)
	return table, nil
}

// rows are the rows of a table, one after the other.
type rows interface {
	next() bool    // reads a row; false at the end
	row() [][]byte // its first cells, columnsLimit at most, until the next one is read
	dropped() int  // how many cells it has behind those
}

// read reads the rows and describes the columns.
func (t *Table) read(source rows, names []string) {
	columns := make([]column, len(names))
	widths := map[int]int{} // number of rows by number of cells
	room, read := cellsBytes, 0
	for t.RowsRead < rowsRead && read < cellsRead && source.next() {
		cells, dropped := source.row(), source.dropped()
		for len(columns) < len(cells) {
			columns = append(columns, column{})
		}
		for i, cell := range cells {
			columns[i].comma = t.Delimiter != ","
			columns[i].add(t.RowsRead, cell)
		}
		if len(t.Rows) < rowsShown && len(t.Rows) == t.RowsRead && room > 0 {
			row := shownCells(cells)
			for _, cell := range row {
				room -= len(cell)
			}
			t.Rows = append(t.Rows, row)
		}
		read += len(cells)
		t.MoreColumns = max(t.MoreColumns, dropped)
		widths[len(cells)+dropped]++
		t.RowsRead++
	}
	t.Complete = t.Complete && !source.next()
	t.Uneven = t.RowsRead - widths[len(columns)+t.MoreColumns]
	for i := range t.Rows {
		for len(t.Rows[i]) < len(columns) {
			t.Rows[i] = append(t.Rows[i], "")
		}
	}
	t.describe(columns, names)
}

// describe sets the kinds of the columns and how they are drawn.
func (t *Table) describe(columns []column, names []string) {
	numeric, widest := 0, 0.0
	x := make([]float64, t.RowsRead)
	for i := range x {
		x[i] = float64(i + 1)
	}
	for i := range columns {
		columns[i].numbers.extend(t.RowsRead)
		if columns[i].kind() == kindNumber {
			numeric++
		}
		if order := columns[i].ascendingValues(t.RowsRead); order != nil && t.OrderedBy == nil {
			t.OrderedBy, x = &i, order
		}
	}
	for i := range columns {
		one := TableColumn{Name: "Column " + strconv.Itoa(i+1), Kind: columns[i].kind(), Type: columns[i].typeName, Missing: t.RowsRead - columns[i].filled}
		if i < len(names) {
			one.Name = shorten(strings.TrimSpace(names[i]))
		}
		if one.Kind == kindNumber {
			one.Numbers = sumUp(columns[i].numbers.values)
			if t.OrderedBy == nil || *t.OrderedBy != i {
				one.Numbers.Lines = plotLines(x, columns[i].numbers.values, bucketsFor(numeric))
				if width := one.Numbers.Maximum - one.Numbers.Minimum; len(one.Numbers.Lines) > 0 && (t.Plotted == nil || width > widest) {
					t.Plotted, widest = &i, width
				}
			}
		}
		t.Columns = append(t.Columns, one)
	}
}

func shownCells(cells [][]byte) []string {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = shorten(string(cell))
	}
	return row
}

// shorten shortens a text to what is shown of a cell.
func shorten(text string) string {
	if len(text) <= cellLength {
		return text
	}
	runes := 0
	for i := range text {
		if runes++; runes > cellLength {
			return text[:i] + "…"
		}
	}
	return text
}
