package dataset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzTable: the table of any file has the promised shape and can be encoded; and if the standard library reads the
// same records without an error, they are equal.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{
		"", "a,b\n1,2\n", "t;v\r\n0,1;2,5\r\n", "# c\n# a\tb\n1\t2\n", "\"a\"\"b\",\"c\nd\"\n", "\"open,\n1", "a\n2026-01-01\n2026-01-02\n", "\xff\xfea\x00,\x00b\x00\n\x00",
		"caf\xe9,\xb5\n", "\xef\xbb\xbfx|y\r1|2\r", "1e308\n-1e308\n5e-324\n", ",,,\n,,\n", "a,b\n1\n1,2,3\n", "x\x00y", "\"\"\"\"\n", "\" \"x,y\n", "NaN\ninf\n1\n",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, complete bool) {
		begin := content{bytes: bytes.Clone(data), size: int64(len(data)), whole: complete}
		table, err := readTable(begin)
		if err != nil {
			return
		}
		if _, err := json.Marshal(table); err != nil {
			t.Fatalf("no JSON: %v", err)
		}
		if len(table.Columns) > columnsLimit || len(table.Rows) > min(rowsShown, table.RowsRead) || table.RowsRead > rowsRead || table.Uneven < 0 || table.MoreColumns < 0 {
			t.Errorf("got %+v", table)
		}
		if table.Complete && !complete {
			t.Error("it calls itself complete")
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("a row of %d cells for %d columns", len(row), len(table.Columns))
			}
			for _, cell := range row {
				if !utf8.ValidString(cell) || utf8.RuneCountInString(cell) > cellLength+1 {
					t.Errorf("cell %q", cell)
				}
			}
		}
		for _, column := range table.Columns {
			checkColumn(t, table, column)
		}
		compareWithStandard(t, data)
	})
}

func checkColumn(t *testing.T, table Table, column TableColumn) {
	t.Helper()
	if column.Name == "" && !table.Header || column.Missing < 0 || column.Missing > table.RowsRead || (column.Numbers != nil) != (column.Kind == kindNumber) {
		t.Errorf("got %+v", column)
	}
	n := column.Numbers
	if n == nil {
		return
	}
	sum := 0
	for _, count := range n.Histogram {
		sum += count
	}
	if sum != n.Count || n.Count == 0 || n.Count > table.RowsRead-column.Missing || n.Minimum > n.Mean || n.Mean > n.Maximum {
		t.Errorf("got %+v", column)
	}
	last, points := math.Inf(-1), 0
	for _, line := range n.Lines {
		if len(line) == 0 {
			t.Error("an empty line")
		}
		for _, point := range line {
			if point[0] <= last || point[1] < n.Minimum || point[1] > n.Maximum {
				t.Errorf("point %v of %+v", point, column)
			}
			last = point[0]
			points++
		}
	}
	if points > 2*mostBuckets {
		t.Errorf("%d points", points)
	}
}

// compareWithStandard reads plain UTF-8 with both readers.
func compareWithStandard(t *testing.T, data []byte) {
	t.Helper()
	text := strings.ReplaceAll(string(data), "\r", "")
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	if err != nil {
		return
	}
	ours := records{rest: []byte(text), delimiter: ','}
	for _, row := range rows {
		if !ours.next() || !slices.Equal(texted(ours.cells), row[:min(len(row), columnsLimit)]) || ours.more != max(len(row)-columnsLimit, 0) {
			t.Fatalf("%q: got %q and %d more, want %q", text, texted(ours.cells), ours.more, row)
		}
	}
	if ours.next() {
		t.Fatalf("%q: got %q after the end", text, texted(ours.cells))
	}
}
