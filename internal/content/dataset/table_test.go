package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"cairn/internal/foundation/fault"
)

func whole(text string) content {
	return content{bytes: []byte(text), size: int64(len(text)), whole: true}
}

// sketch returns the main parts of a table on one line: names with kinds, then the rows.
func sketch(t Table) string {
	var heads, rows []string
	for _, c := range t.Columns {
		heads = append(heads, c.Name+":"+c.Kind[:1])
	}
	for _, row := range t.Rows {
		rows = append(rows, strings.Join(row, "|"))
	}
	return strings.Join(heads, " ") + " = " + strings.Join(rows, " / ")
}

func TestTablesAsPeopleWriteThem(t *testing.T) {
	for _, test := range []struct{ what, text, want string }{
		{"plain", "time,voltage\n0,1.5\n1,2\n", "time:N voltage:N = 0|1.5 / 1|2"},
		{"no last line feed", "a,b\n1,2", "a:N b:N = 1|2"},
		{"carriage returns", "a,b\r\n1,2\r\n", "a:N b:N = 1|2"},
		{"old Mac", "a,b\r1,2\r3,4\r", "a:N b:N = 1|2 / 3|4"},
		{"byte order mark", "\ufeffa,b\n1,2\n", "a:N b:N = 1|2"},
		{"tabs", "a\tb\n1,5\t2\n", "a:N b:N = 1,5|2"},
		{"semicolons and decimal commas", "zeit;wert\n0,0;1,5\n0,1;2,5\n", "zeit:N wert:N = 0,0|1,5 / 0,1|2,5"},
		{"bars", "a|b\n1|x, y\n", "a:N b:T = 1|x, y"},
		{"one column", "value\n1\n2\n", "value:N = 1 / 2"},
		{"quotes", "name,note\nx,\"a, \"\"b\"\"\nc\"\ny,\"\"\n", "name:T note:T = x|a, \"b\"\nc / y|"},
		{"a quote inside", "name,size\n5\" disk,3\nx\"y,4\n", "name:T size:N = 5\" disk|3 / x\"y|4"},
		{"a quote after a quoted cell", "a,b\n\"x\" y,1\nz,2\n", "a:T b:N = \"x\" y|1 / z|2"},
		{"a quote that is never closed", "a,b\n\"x,1\ny,2\n", "a:T b:N = \"x|1 / y|2"},
		{"empty lines", "\n\na,b\n\n1,2\n\n\n3,4\n\n", "a:N b:N = 1|2 / 3|4"},
		{"shorter and longer rows", "a,b\n1\n1,2,3\n", "a:N b:N Column 3:N = 1|| / 1|2|3"},
		{"no names", "1,2\n3,4\n", "Column 1:N Column 2:N = 1|2 / 3|4"},
		{"an empty name", ",a\nx,1\n", ":T a:N = x|1"},
		{"an empty name in quotes, as R writes row names", "\"\",\"mpg\",\"cyl\"\n\"Mazda\",21,6\n\"Fiat\",32,4\n", ":T mpg:N cyl:N = Mazda|21|6 / Fiat|32|4"},
		{"empty names within", "a,, ,b\nx,1,2,3\n", "a:T :N :N b:N = x|1|2|3"},
		{"words alone", "city,country\nBasel,CH\n", "city:T country:T = Basel|CH"},
		{"words that repeat", "x,x\nx,y\n", "Column 1:T Column 2:T = x|x / x|y"},
		{"one word", "word", "Column 1:T = word"},
		{"names alone", "a,b\n", "a:E b:E = "},
		{"missing values", "a,b,c\n1,NA,\nNaN,2,\n-,null,\n", "a:N b:N c:E = 1|NA| / NaN|2| / -|null|"},
		{"infinity", "a\n1\ninf\n1e999\n", "a:T = 1 / inf / 1e999"},
		{"numbers of programs", "a\n-1.5e-7\n+.5\n3.\n 7 \n", "a:N = -1.5e-7 / +.5 / 3. /  7 "},
		{"no numbers to us", "a,b\n0x1F,1_000\n", "a:T b:T = 0x1F|1_000"},
		{"one word among numbers", "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\nERR\n", "a:N = 1 / 2 / 3 / 4 / 5 / 6 / 7 / 8 / 9 / ERR"},
		{"two words among numbers", "a\n1\n2\n3\n4\n5\n6\n7\n8\nERR\nERR\n", "a:T = 1 / 2 / 3 / 4 / 5 / 6 / 7 / 8 / ERR / ERR"},
		{"days", "day,n\n2026-01-31,1\n2026-02-01,2\n", "day:D n:N = 2026-01-31|1 / 2026-02-01|2"},
		{"moments", "at\n2026-01-31T10:00:00Z\n2026-01-31T10:00:00.5+01:00\n", "at:D = 2026-01-31T10:00:00Z / 2026-01-31T10:00:00.5+01:00"},
		{"no days", "day\n01/02/2026\n13/02/2026\n", "day:T = 01/02/2026 / 13/02/2026"},
		{"a day that is none", "day\n2026-02-30\n", "day:T = 2026-02-30"},
		{"years among the names", "country,code,1990,1991,1992\nNorland,NO,10.5,11.2,12.1\nSudland,SU,8.1,8.4,8.8\nOstland,OS,3.1,3.3,3.9\n", "country:T code:T 1990:N 1991:N 1992:N = Norland|NO|10.5|11.2|12.1 / Sudland|SU|8.1|8.4|8.8 / Ostland|OS|3.1|3.3|3.9"},
		{"two years of counts", "land;2020;2021\nA;5;6\nB;9;7\n", "land:T 2020:N 2021:N = A|5|6 / B|9|7"},
		{"positions as pandas writes them", ",0,1,2\n0,0.1,0.2,0.3\n1,0.4,0.5,0.6\n", ":N 0:N 1:N 2:N = 0|0.1|0.2|0.3 / 1|0.4|0.5|0.6"},
		{"two positions", ",0,1\na,5,9\nb,3,4\n", ":T 0:N 1:N = a|5|9 / b|3|4"},
		{"positions of R", "\"\"\t\"1\"\t\"2\"\t\"3\"\nx\t7\t3\t5\n", ":T 1:N 2:N 3:N = x|7|3|5"},
		{"numbers among the names", "id,height,2,4\na1,1.5,3,9\na2,1.6,4,8\n", "id:T height:N 2:N 4:N = a1|1.5|3|9 / a2|1.6|4|8"},
		{"days among the names", "station,2026-01-01,2026-01-02\nA,1,2\n", "station:T 2026-01-01:N 2026-01-02:N = A|1|2"},
		{"data that counts on in each row", "x,1,2,3\ny,4,5,6\n", "Column 1:T Column 2:N Column 3:N Column 4:N = x|1|2|3 / y|4|5|6"},
		{"data below the limit of detection", "s1,<0.1,5\ns2,0.7,6\ns3,0.8,9\n", "Column 1:T Column 2:T Column 3:N = s1|<0.1|5 / s2|0.7|6 / s3|0.8|9"},
		{"data with a number twice", "a,4,4\nb,7,8\n", "Column 1:T Column 2:N Column 3:N = a|4|4 / b|7|8"},
		{"data alone", "0.1,0.2\n0.3,0.4\n", "Column 1:N Column 2:N = 0.1|0.2 / 0.3|0.4"},
		{"decimal commas alone", "0,5;1,5\n1,5;2,5\n", "Column 1:N Column 2:N = 0,5|1,5 / 1,5|2,5"},
		{"number signs in all rows", "#1,red\n#2,blue\n#3,green\n", "Column 1:T Column 2:T = #1|red / #2|blue / #3|green"},
		{"colors", "#ff0000\n#00ff00\n", "Column 1:T = #ff0000 / #00ff00"},
		{"names and number signs in all rows", "#gene,n\n#A,1\n#B,2\n", "#gene:T n:N = #A|1 / #B|2"},
		{"names behind a number sign", "#gene,chrom,strand\nA,chr1,+\nB,chr2,-\n", "gene:T chrom:T strand:T = A|chr1|+ / B|chr2|-"},
		{"names of BED", "#chrom\tstart\tend\nchr1\t10\t20\n", "chrom:T start:N end:N = chr1|10|20"},
		{"a comment above names", "# by Ada, 2026\na,b\n1,2\n", "a:N b:N = 1|2"},
		{
			"cells missing at the end", "April 15, 2023;1015;25.00;4.00;name15;pending;\nApril 14, 2023;1014;25.00;4.00;name14;pending;\nApril 11, 2023;1011;25.00;4.00;name11;\nApril 10, 2023;1010;25.00;4.00;name10;\n",
			"Column 1:T Column 2:N Column 3:N Column 4:N Column 5:T Column 6:T Column 7:E = April 15, 2023|1015|25.00|4.00|name15|pending| / April 14, 2023|1014|25.00|4.00|name14|pending| / April 11, 2023|1011|25.00|4.00|name11|| / April 10, 2023|1010|25.00|4.00|name10||",
		},
		{"lists within cells", "id,tags,n\n1,a;b,5\n2,a;b;c,6\n3,a,7\n", "id:N tags:T n:N = 1|a;b|5 / 2|a;b;c|6 / 3|a|7"},
		{"a line that names the delimiter", "sep=;\nid;name;value\n1;a;2,5\n2;b;3,5\n", "id:N name:T value:N = 1|a|2,5 / 2|b|3,5"},
		{"such a line in quotes", "\"SEP=,\"\r\nid,value\r\n1,2\r\n", "id:N value:N = 1|2"},
		{"a delimiter that nobody would guess", "sep=^\na^b\n1^2\n", "a:N b:N = 1|2"},
		{"columns that blanks align", "   t      v\n 0.0   1.0\n 1.0   1.5\n", "t:N v:N = 0.0|1.0 / 1.0|1.5"},
		{"columns of a Fortran program", "  1.0E+00  2.0E+00\n  3.0E+00  4.5E+00\n", "Column 1:N Column 2:N = 1.0E+00|2.0E+00 / 3.0E+00|4.5E+00"},
		{"words with blanks", "name\nAda Lovelace\nAlan Turing\n", "name:T = Ada Lovelace / Alan Turing"},
		{"comments", "# made by hand\n# 2026\na,b\n1,2\n", "a:N b:N = 1|2"},
		{"names in a comment", "# made by hand\n# a, b\n1,2\n", "a:N b:N = 1|2"},
		{"a comment that names nothing", "# made by hand\n1,2\n", "Column 1:N Column 2:N = 1|2"},
		{"Latin letters of Windows", "temp\xe9rature,\xb5V\n1,2\n", "température:N µV:N = 1|2"},
		{"a broken character", "tempé\xffrature,b\n1,2\n", "tempé\ufffdrature:N b:N = 1|2"},
		{"empty", "", " = "},
		{"line feeds alone", "\n\n\n", " = "},
		{"a delimiter alone", ",", "Column 1:E Column 2:E = |"},
		{"markup", "<b>a</b>,=cmd()\n<img src=x onerror=alert(1)>,\"{{7*7}}\"\n", "<b>a</b>:T =cmd():T = <img src=x onerror=alert(1)>|{{7*7}}"},
	} {
		table, err := readTable(whole(test.text))
		if got := sketch(table); err != nil || got != test.want {
			t.Errorf("%s:\n got %s\nwant %s (%v)", test.what, got, test.want, err)
		}
	}
}

func TestUTF16(t *testing.T) {
	units := utf16.Encode([]rune("\ufeffgrün\tµV\r\n1\t2\r\n"))
	for _, order := range []string{"little", "big"} {
		var text []byte
		for _, unit := range units {
			if order == "little" {
				text = append(text, byte(unit), byte(unit>>8))
			} else {
				text = append(text, byte(unit>>8), byte(unit))
			}
		}
		table, err := readTable(content{bytes: text, whole: true})
		if got := sketch(table); err != nil || got != "grün:N µV:N = 1|2" || table.Encoding != "UTF-16" {
			t.Errorf("%s: %s %v", order, got, err)
		}
	}
}

func TestWhatIsNoTextIsRefused(t *testing.T) {
	for _, text := range []string{"a,b\x00\n", "\x89PNG\r\n\x1a\n\x00\x00", "\xff\xfea\x00\x00\x00"} {
		if table, err := readTable(whole(text)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %+v, %v", text, table, err)
		}
	}
}

func TestTableTellsHowMuchItRead(t *testing.T) {
	rows := strings.Repeat("1,2\n", rowsRead)
	for _, test := range []struct {
		what                string
		begin               content
		read, shown, uneven int
		complete            bool
	}{
		{"all", whole("a,b\n" + rows), rowsRead, rowsShown, 0, true},
		{"one row more", whole("a,b\n" + rows + "1,2"), rowsRead, rowsShown, 0, false},
		{"cut in a row", content{bytes: []byte("a,b\n1,2\n3,44")}, 1, 1, 0, false},
		{"uneven", whole("a,b\n1,2\n1\n1,2,3\n1,2\n"), 4, 4, 3, true},
	} {
		table, err := readTable(test.begin)
		if err != nil || table.RowsRead != test.read || len(table.Rows) != test.shown || table.Uneven != test.uneven || table.Complete != test.complete {
			t.Errorf("%s: %d read, %d shown, %d uneven, complete: %v, %v", test.what, table.RowsRead, len(table.Rows), table.Uneven, table.Complete, err)
		}
	}
}

func TestLargeCellsAreCut(t *testing.T) {
	table, err := readTable(whole("a,b\n" + strings.Repeat("é", 300) + ",1\n" + strings.Repeat("e", 200) + ",2\n"))
	if err != nil || table.Rows[0][0] != strings.Repeat("é", 200)+"…" || table.Rows[1][0] != strings.Repeat("e", 200) {
		t.Errorf("got %q, %v", table.Rows, err)
	}
	table, err = readTable(whole(strings.Repeat(strings.Repeat("é", 200)+strings.Repeat(","+strings.Repeat("é", 200), 59)+"\n", 50)))
	if err != nil || len(table.Rows) != 22 || table.RowsRead != 50 {
		t.Errorf("%d rows shown of %d, %v", len(table.Rows), table.RowsRead, err)
	}
}

func TestNumbersAreSummedUp(t *testing.T) {
	table, err := readTable(whole("time,v,note\n0,1,x\n1,,y\n2,-3,z\n4,8,\n5,ERR,\n6,2,\n7,2,\n8,2,\n9,2,\n10,2,\n11,2,\n12,2,\n"))
	if err != nil {
		t.Fatal(err)
	}
	v := table.Columns[1]
	if n := v.Numbers; v.Missing != 1 || n.Count != 10 || n.Minimum != -3 || n.Maximum != 8 || math.Abs(n.Mean-2) > 1e-12 {
		t.Errorf("got %+v", v)
	}
	if *table.OrderedBy != 0 || len(table.Columns[0].Numbers.Lines) != 0 || table.Columns[2].Numbers != nil {
		t.Errorf("got %+v", table)
	}
	want := "[[[0 1]] [[2 -3] [4 8]] [[6 2] [7 2] [8 2] [9 2] [10 2] [11 2] [12 2]]]"
	if got := fmt.Sprint(v.Numbers.Lines); got != want {
		t.Errorf("got %s", got)
	}
	bins := make([]int, histogramBins)
	bins[0], bins[8], bins[10], bins[23] = 1, 1, 7, 1
	if !slices.Equal(v.Numbers.Histogram, bins) {
		t.Errorf("got %v", v.Numbers.Histogram)
	}
}

func TestPlotsShowTheWidestRangeFirst(t *testing.T) {
	for text, want := range map[string]int{
		"time,current,voltage\n1,0,-65\n2,10,30\n3,0,-60\n": 2, "v,w,t\n5,9,1\n4,2,2\n": 1, "t,v,w\n1,5,5\n2,4,4\n": 1, "t\n1\n2\n": -1, "name\na\nb\n": -1,
	} {
		table, err := readTable(whole(text))
		got := -1
		if table.Plotted != nil {
			got = *table.Plotted
		}
		if err != nil || got != want {
			t.Errorf("column %d of %q is plotted, want %d, %v", got, text, want, err)
		}
	}
}

func TestPlotsAreDrawnAgainstWhatRises(t *testing.T) {
	for text, want := range map[string]int{
		"t,v\n1,5\n2,4\n": 0, "v,t\n5,1\n4,2\n": 1, "v,day\n5,2026-01-01\n4,2026-01-02\n": 1, "v,w\n5,2\n4,2\n": -1, "t,v\n1,5\n,4\n3,3\n": -1, "t,v\n1,5\n": -1, "n,v\na,2\nb,1\n": -1,
	} {
		table, err := readTable(whole(text))
		got := -1
		if table.OrderedBy != nil {
			got = *table.OrderedBy
		}
		if err != nil || got != want {
			t.Errorf("%q is drawn against %d, %v", text, got, err)
		}
	}
	table, _ := readTable(whole("v,day\n5,1970-01-01\n4,1970-01-02\n"))
	if got := fmt.Sprint(table.Columns[0].Numbers.Lines); got != "[[[0 5] [8.64e+07 4]]]" {
		t.Errorf("got %s", got)
	}
}

func TestPlotsKeepSpikes(t *testing.T) {
	var text strings.Builder
	text.WriteString("v\n")
	for row := range rowsRead {
		switch row {
		case 1234:
			text.WriteString("99\n")
		case 4321:
			text.WriteString("-99\n")
		default:
			fmt.Fprintf(&text, "%d\n", row%3)
		}
	}
	table, err := readTable(whole(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	lines := table.Columns[0].Numbers.Lines
	if len(lines) != 1 || len(lines[0]) > 2*mostBuckets || !slices.Contains(lines[0], Point{1235, 99}) || !slices.Contains(lines[0], Point{4322, -99}) {
		t.Errorf("%d lines of %d points without the spikes", len(lines), len(lines[0]))
	}
}

func TestPlotsOfExtremeNumbers(t *testing.T) {
	table, err := readTable(whole("x,v\n-1.7e308,1.7e308\n0,-1.7e308\n1.7e308,1.7e308\n"))
	if err != nil {
		t.Fatal(err)
	}
	if n := table.Columns[1].Numbers; n.Minimum != -1.7e308 || n.Maximum != 1.7e308 || n.Mean < 5e307 || n.Mean > 6e307 || n.Histogram[0] != 1 || n.Histogram[23] != 2 {
		t.Errorf("got %+v", n)
	}
}
