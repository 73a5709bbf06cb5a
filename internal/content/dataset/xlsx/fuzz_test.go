package xlsx

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
)

// FuzzSheet: reading any sheet neither panics nor runs on, and gives no more cells than were asked for.
func FuzzSheet(f *testing.F) {
	f.Add(`<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" s="1"><v>45000.5</v></c></row></sheetData>`, `<sst><si><t>a</t></si><si><r><t>b</t></r></si></sst>`, `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`)
	f.Add(`<row><c t="inlineStr"><is><t>x</t></is></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row>`, ``, `<cellXfs><xf numFmtId="46"/></cellXfs>`)
	f.Fuzz(func(t *testing.T, sheet, texts, styles string) {
		var packed bytes.Buffer
		archive := zip.NewWriter(&packed)
		for name, content := range map[string]string{
			"xl/workbook.xml": `<sheets><sheet name="a" id="1"/></sheets>`, "xl/_rels/workbook.xml.rels": `<Relationship Id="1" Type="/worksheet" Target="s.xml"/><Relationship Type="/sharedStrings" Target="t.xml"/><Relationship Type="/styles" Target="f.xml"/>`,
			"xl/s.xml": sheet, "xl/t.xml": texts, "xl/f.xml": styles,
		} {
			part, err := archive.Create(name)
			if err == nil {
				_, err = part.Write([]byte(content))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		book, err := Open(t.Context(), bytes.NewReader(packed.Bytes()), int64(packed.Len()))
		if err != nil {
			withoutPanic(t, err)
			return
		}
		rows, err := book.Rows("", 5)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if len(rows.Cells) == 0 || len(rows.Cells) > 5 || rows.More < 0 || rows.More > columnsLimit {
				t.Errorf("%d cells and %d more", len(rows.Cells), rows.More)
			}
			for _, cell := range rows.Cells {
				if len(cell) > longestText {
					t.Errorf("%d bytes", len(cell))
				}
			}
		}
		withoutPanic(t, rows.Err())
	})
}

func withoutPanic(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), "panic") {
		t.Fatal(err)
	}
}
