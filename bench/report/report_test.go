package report_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"cairn/bench/report"
)

func TestTableIsMarkdownWithEvenColumns(t *testing.T) {
	table := report.Table{Columns: []string{"class", "p50"}}
	table.Add("größer", "1")
	table.Add("x", "1,234")
	want := "| class  |   p50 |\n|--------|------:|\n| größer |     1 |\n| x      | 1,234 |\n"
	if got := table.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestAimsSayByHowMuch(t *testing.T) {
	for _, one := range []struct {
		aim  report.Aim
		met  bool
		want string
	}{
		{report.Aim{Limit: 2, Measured: 1.6}, true, "met by 25 %"},
		{report.Aim{Limit: 2, Measured: 2}, true, "met by 0 %"},
		{report.Aim{Limit: 2, Measured: 3}, false, "missed by 50 %"},
		{report.Aim{Limit: 2, Measured: 9}, false, "missed 4.50 times over"},
		{report.Aim{Limit: 3000, Measured: 12000, AtLeast: true}, true, "met 4.00 times over"},
		{report.Aim{Limit: 3000, Measured: 2000, AtLeast: true}, false, "missed by 50 %"},
		{report.Aim{Limit: 10, Measured: 0}, true, "met"},
	} {
		if one.aim.Met() != one.met || one.aim.Verdict() != one.want {
			t.Errorf("%+v: %v, %q", one.aim, one.aim.Met(), one.aim.Verdict())
		}
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		report.Whole(1): "1", report.Whole(1000): "1,000", report.Whole(1234567): "1,234,567",
		report.Number(0.123): "0.12", report.Number(12.34): "12.3", report.Number(1234.5): "1,235",
		report.Milliseconds(1500 * time.Microsecond): "1.50", report.Mebibytes(3 << 30): "3,072 MiB",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestPartsOfAFileAreReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.md")
	for _, one := range []struct{ name, text, want string }{
		{"launch", "# Launch\n", "\n\n<!-- part: launch -->\n\n# Launch\n"},
		{"", "# Catalog\n\n", "# Catalog\n\n<!-- part: launch -->\n\n# Launch\n"},
		{"other", "# Other", "# Catalog\n\n<!-- part: launch -->\n\n# Launch\n\n<!-- part: other -->\n\n# Other\n"},
		{"launch", "# Again\n", "# Catalog\n\n<!-- part: launch -->\n\n# Again\n\n<!-- part: other -->\n\n# Other\n"},
	} {
		if err := report.WritePart(path, one.name, one.text); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); string(got) != one.want || err != nil {
			t.Errorf("after %q: %q, %v", one.name, got, err)
		}
	}
}

func TestQuantiles(t *testing.T) {
	var times []time.Duration
	for i := range 100 {
		times = append(times, time.Duration(100-i))
	}
	for part, want := range map[float64]time.Duration{0: 1, 0.5: 50, 0.95: 95, 0.99: 99, 1: 100} {
		if got := report.Quantile(times, part); got != want {
			t.Errorf("quantile %v: %v, want %v", part, got, want)
		}
	}
	if report.Quantile([]time.Duration{}, 0.5) != 0 {
		t.Error("a quantile of nothing")
	}
}
