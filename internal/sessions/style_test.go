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
	for _, found := range regexp.MustCompile(`var\((--[\w-]+)`).FindAllStringSubmatch(pageStyle, -1) {
		if name := found[1]; !strings.Contains(string(tokens)+pageStyle, name+":") {
			t.Errorf("no token is called %s", name)
		}
	}
	if literal := regexp.MustCompile(`#[0-9a-f]{3,8}\b|\brgba?\(`).FindString(pageStyle); literal != "" {
		t.Errorf("%s is no token", literal)
	}

	w := newWorldAt(t, hostForm)
	w.service.Tokens, w.service.Mark = string(tokens), func() (string, []byte) { return "image/png", []byte("a mark") }
	assets := w.origin(w.running("Session")) + "/.cairn/assets/"
	if sheet := w.visit(http.MethodGet, assets+"pages.css").Body.String(); sheet != string(tokens)+pageStyle {
		t.Errorf("the style sheet is %.80q", sheet)
	}
	mark := w.visit(http.MethodGet, assets+"mark")
	if header := mark.Header(); mark.Body.String() != "a mark" || header.Get("Content-Type") != "image/png" || header.Get(contentSecurityPolicy) != pageSecurity {
		t.Errorf("the mark is %q with %v", mark.Body, header)
	}
}
