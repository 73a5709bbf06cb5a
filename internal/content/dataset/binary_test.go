package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// head returns the first rows of a table's sketch.
func head(table Table, rows int) string {
	table.Rows = table.Rows[:min(rows, len(table.Rows))]
	return sketch(table)
}

func TestTablesOfSpreadsheets(t *testing.T) {
	tree := openTree(t, "testdata", ".")
	for _, test := range []struct{ file, sheet, want, sheets string }{
		{"openpyxl.xlsx", "", "day:D name:T value:N ok:T took:T Column 6:T = 2026-01-01||0.3|FALSE|25:00:00| / |naïve|1.3|TRUE|25:01:00| / 2026-01-03|naïve|2.3|FALSE|25:02:00|13:45:00", "Data,Other"},
		{"openpyxl.xlsx", "Other", "Column 1:T Column 2:N = x|1", "Data,Other"},
		{"xlsxwriter.xlsx", "", "when:D cost:N sum:N error:T = 2026-03-01|10.25|20.5|#DIV/0! / 2026-03-02|20.5|41|#DIV/0! / 2026-03-03|30.75|61.5|#DIV/0!", "A & B"},
		{"exceljs.xlsx", "", "sample:T taken:D mass:N double:N = S1|2026-02-01 06:30:00|1.5|3 / B bold|2026-02-02 06:30:00|3|6 / S3|2026-02-03 06:30:00|4.5|9", "Results,Notes"},
	} {
		table, err := tree.Table(t.Context(), test.file, test.sheet)
		if got := sketch(table); err != nil || got != test.want || strings.Join(table.Sheets, ",") != test.sheets || !table.Complete || table.Uneven != 0 {
			t.Errorf("%s: %s\n%v, %v, %v", test.file, got, table.Sheets, table.Complete, err)
		}
	}
	for _, sheet := range []string{"Secret", "results", "\x00"} {
		if _, err := tree.Table(t.Context(), "exceljs.xlsx", sheet); fault.KindOf(err) != fault.Invalid {
			t.Errorf("sheet %q: %v", sheet, err)
		}
	}
}

func TestTablesOfParquetFiles(t *testing.T) {
	tree := openTree(t, "testdata", ".")
	want := `id:N big:N small:N value:N code:T flag:T day:D at:D list:T place.lat:N place.name:T steps:T = ` +
		`1|0|0|0|000|true|2026-01-01|2026-01-01T12:00:00.25Z|[0, null, 2]|0|n"0|[] / ` +
		`2|10000000000|1|0.25|001|false|2026-01-02|2026-01-01T12:00:01.25Z|[]|||[{"at": 1, "what": "a"}] / ` +
		`3|20000000000|2|0.5|002|true|2026-01-03|2026-01-01T12:00:02.25Z||1|n"2|[{"at": 2, "what": "a"}, {"at": null, "what": null}] / ` +
		`4|30000000000|3||003||2026-01-04|2026-01-01T12:00:03.25Z|[3, null, 5]|1.5||[]`
	for _, name := range []string{"arrow-zstd.parquet", "arrow-snappy-v2.parquet", "arrow-gzip.parquet", "arrow-split.parquet"} {
		table, err := tree.Table(t.Context(), name, "")
		if got := head(table, 4); err != nil || got != want {
			t.Fatalf("%s:\n%s\n%s\n%v", name, got, want, err)
		}
		last := table.Columns[0].Numbers
		if table.RowsRead != 150 || *table.TotalRows != 150 || !table.Complete || last.Maximum != 150 || table.Columns[3].Missing != 21 || table.MoreColumns != 0 {
			t.Errorf("%s: %+v", name, table)
		}
		var types []string
		for _, column := range table.Columns {
			types = append(types, column.Type)
		}
		if got := strings.Join(types, " "); !strings.HasPrefix(got, "int32 int64 uint8 double string boolean date timestamp[ms, UTC] list double string list") {
			t.Errorf("types %s", got)
		}
	}
	table, err := tree.Table(t.Context(), "hyparquet.parquet", "")
	if got, want := sketch(table), "price:N time:T stamp:D key:T count:N = 12.50|01:02:03.000001|2026-01-01T00:00:00.000000001|0x00ff|1 / -0.05||1970-01-01T00:00:00|word|2 / 1000.00|00:00:00|1969-12-31T23:59:59.999999999||4294967295"; err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := tree.Table(t.Context(), "arrow-brotli.parquet", ""); !errors.Is(err, errUnknown) {
		t.Errorf("got %v", err)
	}
}

// archive returns a zip archive of parts.
func archive(t testing.TB, parts map[string]string) string {
	t.Helper()
	var packed bytes.Buffer
	writer := zip.NewWriter(&packed)
	for name, content := range parts {
		part, err := writer.Create(name)
		if err == nil {
			_, err = part.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// sheetOf returns a spreadsheet with one sheet of this XML, and the texts that its cells refer to.
func sheetOf(t testing.TB, sheet, texts string) string {
	const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	return archive(t, map[string]string{
		"_rels/.rels":                `<Relationships><Relationship Id="a" Type="` + types + `officeDocument" Target="/book.xml"/></Relationships>`,
		"book.xml":                   `<x:workbook xmlns:x="x"><x:sheets><x:sheet name="One" r:id="s"/></x:sheets></x:workbook>`,
		"_rels/book.xml.rels":        `<Relationships><Relationship Id="s" Type="` + types + `worksheet" Target="deep/../sheet.xml"/><Relationship Id="t" Type="` + types + `sharedStrings" Target="texts.xml"/></Relationships>`,
		"sheet.xml":                  sheet,
		"texts.xml":                  texts,
		"../../escape/of/the/folder": "",
	})
}

// footer returns a Parquet file of a footer alone.
func footer(content string) string {
	return "PAR1" + content + string(binary.LittleEndian.AppendUint32(nil, uint32(len(content)))) + "PAR1"
}

func TestBinaryFilesThatAreNone(t *testing.T) {
	root := t.TempDir()
	parquet := string(fixture(t, "arrow-zstd.parquet"))
	write(t, root, map[string]string{
		"empty.xlsx": "", "text.xlsx": "a,b\n1,2\n", "old.xlsx": "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and more", "zip.xlsx": archive(t, map[string]string{"a": "b"}),
		"half.xlsx": string(fixture(t, "openpyxl.xlsx"))[:3000], "xml.xlsx": sheetOf(t, "<sheetData><row><c><", ""),
		"number.xlsx":   sheetOf(t, `<sheetData><row><c t="s"><v>-1</v></c></row></sheetData>`, ""),
		"far.xlsx":      sheetOf(t, `<sheetData><row><c t="s"><v>99</v></c></row></sheetData>`, `<sst count="999999999"><si><t>a</t></si></sst>`),
		"empty.parquet": "", "text.parquet": "a,b\n1,2\n", "half.parquet": parquet[:len(parquet)/2], "footer.parquet": footer(""), "long.parquet": "PAR1" + "\xff\xff\xff\x7fPAR1",
		"secret.parquet": strings.ReplaceAll(footer("abc"), "PAR1", "PARE"), "deep.parquet": footer(strings.Repeat("\x1c", 100_000)), "list.parquet": footer("\x29\xfc\xff\xff\xff\xff\x0f"),
		"upset.parquet": strings.Replace(parquet, "zstd", "", 1)[:200] + parquet[len(parquet)-3000:],
	})
	tree := openTree(t, root, ".")
	files, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		_, err := tree.Table(t.Context(), file.Name(), "")
		if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.TooLarge {
			t.Errorf("%s: %v", file.Name(), err)
		}
	}
	if _, err := tree.Table(t.Context(), "old.xlsx", ""); !errors.Is(err, errProtected) {
		t.Errorf("got %v", err)
	}
	if _, err := tree.Table(t.Context(), "secret.parquet", ""); !errors.Is(err, errEncrypted) {
		t.Errorf("got %v", err)
	}
}

func TestFloodsInSpreadsheetsAreBounded(t *testing.T) {
	root := t.TempDir()
	row := func(cells string) string { return "<row>" + cells + "</row>" }
	cell := func(text string) string { return `<c t="inlineStr"><is><t>` + text + `</t></is></c>` }
	sheet := func(content string) string { return "<sheetData>" + content + "</sheetData>" }
	write(t, root, map[string]string{
		"rows.xlsx":  sheetOf(t, sheet(strings.Repeat(row("<c><v>1</v></c>"), 100_000)), ""),
		"wide.xlsx":  sheetOf(t, sheet(strings.Repeat(row(strings.Repeat("<c><v>7</v></c>", 9_000)), 60)), ""),
		"far.xlsx":   sheetOf(t, sheet(row(`<c r="XFD1"><v>1</v></c><c r="ZZZZZZZZZZZZZ1"><v>1</v></c>`)), ""),
		"text.xlsx":  sheetOf(t, sheet(row(cell(strings.Repeat("é", 1<<20)))), ""),
		"texts.xlsx": sheetOf(t, sheet(row(`<c t="s"><v>0</v></c>`)+row(`<c t="s"><v>9000000</v></c>`)), "<sst>"+strings.Repeat("<si><t>a</t></si>", 300_000)+"</sst>"),
		"open.xlsx":  sheetOf(t, strings.Repeat("<a>", 5<<19), ""),
		"names.xlsx": sheetOf(t, "<a "+strings.Repeat(`b="" `, 1<<20)+">", ""),
	})
	parts := map[string]string{}
	for i := range 10_000 {
		parts[fmt.Sprintf("%0100d", i)] = ""
	}
	write(t, root, map[string]string{"parts.xlsx": archive(t, parts)})
	tree := openTree(t, root, ".")
	for name, want := range map[string]struct {
		rows, columns, more int
		kind                fault.Kind
	}{
		"rows.xlsx": {rows: rowsRead, columns: 1}, "wide.xlsx": {rows: 46, columns: columnsLimit, more: 9_000 - columnsLimit},
		"far.xlsx": {rows: 1, columns: columnsLimit, more: 16_384 - columnsLimit}, "text.xlsx": {kind: fault.TooLarge}, "texts.xlsx": {rows: 1, columns: 1},
		"open.xlsx": {kind: fault.TooLarge}, "names.xlsx": {kind: fault.TooLarge}, "parts.xlsx": {kind: fault.TooLarge},
	} {
		var table Table
		var err error
		asked := allocated(func() { table, err = tree.Table(t.Context(), name, "") })
		if fault.KindOf(err) != want.kind || err == nil && (table.RowsRead != want.rows || len(table.Columns) != want.columns || table.MoreColumns != want.more) {
			t.Errorf("%s: %d rows, %d columns and %d more, %v", name, table.RowsRead, len(table.Columns), table.MoreColumns, err)
		}
		if asked > 400<<20 { // in total; little of it is held at a time
			t.Errorf("%s took %d MB", name, asked>>20)
		}
	}
}

func TestPreviewsOfBinaryFilesEndWithTheirRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tree := openTree(t, "testdata", ".")
	for _, name := range []string{"openpyxl.xlsx", "arrow-zstd.parquet"} {
		if _, err := tree.Table(ctx, name, ""); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
