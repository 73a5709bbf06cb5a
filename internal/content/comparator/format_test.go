package comparator

import (
	"encoding/base64"
	"os"
	"slices"
	"testing"
)

// What NumPy 1.13 and NumPy 1.24 write of the same values.
func TestDifferencesInFormat(t *testing.T) {
	for name, test := range map[string]struct {
		author, run string
		verdict     Verdict
		format      bool
	}{
		"blanks": {"array([ 1.,  2.,  3.])", "array([1., 2., 3.])", Different, true},
		"rows": {
			"array([[ 1.,  0.,  0.],\n       [ 0.,  1.,  0.],\n       [ 0.,  0.,  1.]])", "array([[1., 0., 0.],\n       [0., 1., 0.],\n       [0., 0., 1.]])",
			Different, true,
		},
		"other line breaks": {
			"array([ 0.  ,  0.25,  0.5 ,  0.75,  1.  ,  1.25,  1.5 ,  1.75,  2.  ,\n        2.25,  2.5 ,  2.75])",
			"array([0.  , 0.25, 0.5 , 0.75, 1.  , 1.25, 1.5 , 1.75, 2.  , 2.25, 2.5 ,\n       2.75])", Different, true,
		},
		"zeros at the end": {
			"array([  1.00000000e-08,   1.00000000e-04,   1.00000000e+00,\n         1.00000000e+04,   1.00000000e+08])",
			"array([1.e-08, 1.e-04, 1.e+00, 1.e+04, 1.e+08])", Different, true,
		},
		"an ellipsis": {
			"[  0.00000000e+00   1.00000000e+00   2.00000000e+00 ...,   1.99700000e+03\n   1.99800000e+03   1.99900000e+03]",
			"[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]", Different, true,
		},
		"truth values":                  {"array([ True, False], dtype=bool)", "array([ True, False])", Different, true},
		"a zero":                        {"array(3.0)", "array(3.)", WithinTolerance, false},
		"a pandas column":               {"a      1.0\nb     20.5\n", "a     1.0\nb    20.5", Different, true},
		"another number":                {"array([ 1.,  2.,  3.])", "array([1., 2., 3.1])", Different, false},
		"another sign":                  {"array([ 1., -2.])", "array([1., 2.])", Different, false},
		"one more":                      {"array([ 1.,  2.])", "array([1., 2., 3.])", Different, false},
		"digits without a blank":        {"[ 1  2]", "[12]", Different, false},
		"digits with another blank":     {"[1 23]", "[12 3]", Different, false},
		"words without a blank":         {"no where", "nowhere", Different, false},
		"whole numbers":                 {"array([ 1.,  2.])", "array([1, 2])", Different, false},
		"another type":                  {"array([ 1.,  2.], dtype=float32)", "array([1., 2.])", Different, false},
		"other truth values":            {"array([ True, False], dtype=bool)", "array([ True,  True])", Different, false},
		"an ellipsis in place of some":  {"[1. 2. 3. 4.]", "[1. ... 4.]", Different, false},
		"another order":                 {"array([ 1.,  2.])", "array([2., 1.])", Different, false},
		"another date among the blanks": {"2020-01-01    1.5", "2020-01-02 1.5", Different, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, mime := range []string{"text/plain", ""} {
				output := stdout
				if mime != "" {
					output = func(text string) string { return shows(mime, text) }
				}
				result := Compare(notebook(t, code("a", "f()", 1, output(test.author))), notebook(t, code("a", "f()", 1, output(test.run))), nil)
				cell := result.Cells[0]
				if cell.Verdict != test.verdict || slices.Contains(cell.Notes, NoteFormat) != test.format || result.Counts.Format == 1 != test.format {
					t.Errorf("it is %s with %v, and counts %+v", cell.Verdict, cell.Notes, result.Counts)
				}
			}
		})
	}
}

// A cell differs in format only if each of its outputs that differ does.
func TestCellsThatDifferInFormat(t *testing.T) {
	array, today := shows("text/plain", "array([ 1.])"), shows("text/plain", "array([1.])")
	for name, test := range map[string]struct {
		author, run []string
		format      bool
	}{
		"beside what is the same": {[]string{array, stdout("1")}, []string{today, stdout("1")}, true},
		"beside another":          {[]string{array, stdout("1")}, []string{today, stdout("2")}, false},
		"beside what is missing":  {[]string{array, stdout("1")}, []string{today}, false},
		"before an exception":     {[]string{array}, []string{today, raises("ValueError", "x")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			result := Compare(notebook(t, code("a", "f()", 1, test.author...)), notebook(t, code("a", "f()", 1, test.run...)), nil)
			if result.Counts.Differs != 1 || (result.Counts.Format == 1) != test.format {
				t.Errorf("counts are %+v", result.Counts)
			}
		})
	}
}

// Matplotlib drew these with 72 and with 100 dots per inch: what is usual changed between its versions. In the third, a curve is
// 10 % higher; the last has no legend.
func TestPicturesOfAnotherSize(t *testing.T) {
	picture := func(name string) string {
		data, err := os.ReadFile("testdata/sizes/" + name + ".png")
		if err != nil {
			t.Fatal(err)
		}
		return shows("image/png", base64.StdEncoding.EncodeToString(data))
	}
	for name, format := range map[string]bool{"lines-100": true, "lines-144": true, "lines-100-higher": false, "lines-100-no-legend": false} {
		result := Compare(notebook(t, code("a", "f()", 1, picture("lines-72"))), notebook(t, code("a", "f()", 1, picture(name))), nil)
		cell := result.Cells[0]
		if cell.Verdict != Different || slices.Contains(cell.Notes, NoteFormat) != format || !slices.Contains(cell.Differences[0].Notes, NoteSize) {
			t.Errorf("%s is %s with %v", name, cell.Verdict, cell.Notes)
		}
	}
}
