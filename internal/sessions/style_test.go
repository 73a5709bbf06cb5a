package sessions

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Our own pages have no colors of their own: what they name is a token of the page's design, and those come first in
// the one style sheet that they load.
func TestOurPagesUseTheDesignTokens(t *testing.T) {
	t.Parallel()
	tokens, err := os.ReadFile("../../web/src/ui/tokens.css")
	check(t, err)
	for _, style := range []string{pageStyle, sessionStyle} {
		for _, found := range regexp.MustCompile(`var\((--[\w-]+)`).FindAllStringSubmatch(style, -1) {
			if name := found[1]; !strings.Contains(string(tokens)+style, name+":") {
				t.Errorf("no token is called %s", name)
			}
		}
		if literal := regexp.MustCompile(`#[0-9a-f]{3,8}\b|\brgba?\(`).FindString(style); literal != "" {
			t.Errorf("%s is no token", literal)
		}
	}

	w := newWorldAt(t, hostForm)
	w.service.Tokens, w.service.Mark = string(tokens), func() (string, []byte) { return "image/png", []byte("a mark") }
	assets := w.origin(w.running("Session")) + "/.cairn/assets/"
	if sheet := w.visit(http.MethodGet, assets+"pages.css").Body.String(); sheet != string(tokens)+pageStyle {
		t.Errorf("the style sheet is %.80q", sheet)
	}
	// Of the script in Jupyter's pages: they choose the size of the root's text, and have their own :root.
	sheet := w.visit(http.MethodGet, assets+"session.css").Body.String()
	if strings.Contains(sheet, ":root") || regexp.MustCompile(`[\d.]+rem\b`).MatchString(sheet) ||
		!strings.Contains(sheet, "--text-note: calc(0.875 * 16px);") || !strings.HasSuffix(sheet, sessionStyle) {
		t.Errorf("the style sheet of the script is %s", sheet)
	}
	mark := w.visit(http.MethodGet, assets+"mark")
	if header := mark.Header(); mark.Body.String() != "a mark" || header.Get("Content-Type") != "image/png" || header.Get(contentSecurityPolicy) != pageSecurity {
		t.Errorf("the mark is %q with %v", mark.Body, header)
	}
}
