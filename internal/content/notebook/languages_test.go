package notebook

import (
	"strings"
	"testing"
)

// Code is colored in the language of the notebook, or in that of its kernel if it names none.
func TestCodeOfOtherLanguagesIsColored(t *testing.T) {
	t.Parallel()
	renderer := newRenderer(t)
	for metadata, code := range map[string]string{
		`{"language_info":{"name":"R"},"kernelspec":{"name":"ir","language":"R"}}`:   "mean <- function(n) n / 2 # half",
		`{"kernelspec":{"name":"ir","display_name":"R","language":"R"}}`:             "x <- 'text' # note",
		`{"language_info":{"name":"julia 1.10"}}`:                                    "function f(n) n / 2 end # half",
		`{"kernelspec":{"name":"julia-1.10","language":"julia"}}`:                    "using Plots # note",
		`{"language_info":{"name":"octave"},"kernelspec":{"name":"octave"}}`:         "x = linspace(0, 1); % note",
		`{"language_info":{"name":"ruby"}}`:                                          "puts 'text' # note",
		`{"language_info":{"name":"bash"},"kernelspec":{"name":"bash"}}`:             "echo text # note",
		`{"language_info":{"name":"scala"}}`:                                         `// half\nval n = 2`,
		`{"language_info":{"name":"C++17"},"kernelspec":{"name":"xcpp17"}}`:          `// half\nint n = 2;`,
		`{"language_info":{"name":"javascript"},"kernelspec":{"name":"javascript"}}`: `// half\nconst n = 2`,
	} {
		document := render(t, renderer, `{"nbformat":4,"nbformat_minor":5,"metadata":`+metadata+`,"cells":[{"cell_type":"code","metadata":{},"outputs":[],"execution_count":null,"source":"`+code+`"}]}`)
		if !strings.Contains(string(document.HTML), `<span class="c">`) {
			t.Errorf("%s: %s has no color: %s", metadata, code, document.HTML)
		}
	}
}
