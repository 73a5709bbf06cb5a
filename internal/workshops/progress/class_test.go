package progress_test

import (
	"regexp"
	"strings"
	"testing"

	"cairn/internal/workshops/progress"
)

func TestNamesOfErrorsAreClasses(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ValueError":                            "ValueError", // Python
		"requests.exceptions.ConnectionError":   "ConnectionError",
		"__main__.My_Error2":                    "My_Error2",
		"KeyboardInterrupt":                     "KeyboardInterrupt",
		"UndefVarError":                         "UndefVarError", // Julia
		"UndefVarError(:patient, 0x01, Main)":   "UndefVarError",
		"Base.IOError(\"/home/anna\", 2)":       "IOError",
		"MethodError{Int}":                      "MethodError",
		"std::runtime_error":                    "runtime_error",        // C++
		"java.lang.NullPointerException":        "NullPointerException", // Java
		"'patient' undefined":                   "Error",                // Octave
		"index (3,_): out of bound; value 3":    "Error",
		"patient(3): out of bound 2":            "Error",
		"No such file: /home/anna/patients.csv": "Error",
		"/home/anna/patients":                   "Error",
		"12345":                                 "Error",
		"Fehler.":                               "Error",
		"Überlauf":                              "Error",
		"Name\u202eError":                       "Error",
		"NameError\n":                           "Error",
		"<script>":                              "Error",
		"":                                      "Error",
		strings.Repeat("E", 60):                 strings.Repeat("E", 60),
		strings.Repeat("E", 61):                 "Error",
		strings.Repeat("a.", 5000) + "E":        "Error",
		strings.Repeat("a.", 100) + "OutOfMemoryError": "OutOfMemoryError",
	} {
		if got := progress.Class(name, "patient 12"); got != want {
			t.Errorf("Class(%.80q) is %q, not %q", name, got, want)
		}
	}
}

// What R 4 says, and packages that are often used with it, as IRkernel sends it.
func TestErrorsOfRHaveTheClassOfTheirForm(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"Error in eval(expr, envir, enclos): object 'patient' not found\n":                                                  "object not found",
		"Error in eval(predvars, data, env): object 'my patient' not found\n":                                               "object not found",
		"Error: object 'y' not found":                                                                                       "object not found",
		"\x1b[1mError\x1b[22m in `mutate()`:\nCaused by error:\n! object 'y' not found\n":                                   "object not found",
		"Error in nope(): could not find function \"nope\"\n":                                                               "could not find function",
		"Error in library(foo): there is no package called ‘foo’\n":                                                         "no package",
		"Error in loadNamespace(x): there is no package called 'foo'\n":                                                     "no package",
		"Error: package or namespace load failed for ‘a’ in loadNamespace(i): there is no package called ‘b’\n":             "no package",
		"Error in parse(text = x, srcfile = src): <text>:1:3: unexpected symbol\n1: a b\n      ^\n":                         "unexpected symbol",
		"Error in parse(text = x, srcfile = src): <text>:2:0: unexpected end of input\n1: f(\n   ^\n":                       "unexpected symbol",
		"Error in source(\"a.R\"): a.R:10:12: unexpected '*'\n":                                                             "unexpected symbol",
		"Error in file(file, \"rt\"): cannot open the connection\n":                                                         "cannot open file",
		"Error in gzfile(file, \"rb\"): cannot open compressed file 'n.rds', probable reason 'No such file or directory'\n": "cannot open file",
		"Error in setwd(\"/home/anna\"): cannot change working directory\n":                                                 "cannot open file",
		"Error: 'patients.csv' does not exist in current working directory ('/home/anna').\n":                               "cannot open file",
		"Error in fread(\"a.csv\"): File 'a.csv' does not exist or is non-readable. getwd()=='/home/anna'\n":                "cannot open file",
		"Error: `path` does not exist: ‘a.xlsx’\n":                                                                          "cannot open file",
		"Error in url(\"http://a\", \"r\"): cannot open the connection to 'http://a'\n":                                     "cannot open URL",
		"Error in download.file(u, f): cannot open URL 'http://a'\n":                                                        "cannot open URL",
		"Error in curl::curl_fetch_memory(u): Could not resolve host: a\n":                                                  "cannot open URL",
		"Error in \"a\" + 1: non-numeric argument to binary operator\n":                                                     "non-numeric argument",
		"Error in sqrt(\"a\"): non-numeric argument to mathematical function\n":                                             "non-numeric argument",
		"Error in list(1)[[3]]: subscript out of bounds\n":                                                                  "subscript out of bounds",
		"Error in `[.data.frame`(mtcars, , 99): undefined columns selected\n":                                               "undefined columns",
		"Error in a %*% b: non-conformable arguments\n":                                                                     "non-conformable arguments",
		"Error in f(): argument \"x\" is missing, with no default\n":                                                        "missing argument",
		"Error in f(1, 2): unused argument (2)\n":                                                                           "unused argument",
		"Error in if (NA) 1: missing value where TRUE/FALSE needed\n":                                                       "missing value in a condition",
		"Error: cannot allocate vector of size 7450580.6 Gb\n":                                                              "cannot allocate memory",
		"Error in f(x): patient 12 not found\n":                                                                             "Error",
		"Error in f(): the column profile does not exist\n":                                                                 "Error",
		"Fehler: Objekt 'x' nicht gefunden\n":                                                                               "Error",
		"":                                                                                                                  "Error",
		strings.Repeat("x", 1<<20) + "subscript out of bounds":                                                              "Error",
	} {
		for _, name := range []string{"ERROR", "Error", ""} {
			if got := progress.Class(name, value); got != want {
				t.Errorf("Class(%q, %.200q) is %q, not %q", name, value, got, want)
			}
		}
	}
}

var shown = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,59}$|^[a-zA-Z -]{1,40}$`)

// FuzzClass tells any error. Nothing of its text may be in the class.
func FuzzClass(f *testing.F) {
	f.Add("ERROR", "Error in f(): object 'x' not found")
	f.Add("Base.IOError(\"a\")", "")
	f.Add("a::b.C", "")
	f.Fuzz(func(t *testing.T, name, value string) {
		got := progress.Class(name, value)
		if !shown.MatchString(got) || progress.Class(name, value) != got {
			t.Errorf("Class(%q, %q) is %q", name, value, got)
		}
		if name != "" && !strings.EqualFold(name, "error") && got != progress.Class(name, "") {
			t.Errorf("Class(%q, %q) is %q, and another one without the text", name, value, got)
		}
	})
}
