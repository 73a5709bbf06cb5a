package origin_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"
)

// Our own pages have no colors of their own: what they name is a token of the page's design, and those come first in
// the one style sheet that they load.
func TestOurPagesUseTheDesignTokens(t *testing.T) {
	t.Parallel()
	tokens, err := os.ReadFile("../../../web/src/ui/tokens.css")
	sessionstest.Check(t, err)
	for _, style := range []string{origin.PageStyle, origin.SessionStyle} {
		for _, found := range regexp.MustCompile(`var\((--[\w-]+)`).FindAllStringSubmatch(style, -1) {
			if name := found[1]; !strings.Contains(string(tokens)+style, name+":") {
				t.Errorf("no token is called %s", name)
			}
		}
		if literal := regexp.MustCompile(`#[0-9a-f]{3,8}\b|\brgba?\(`).FindString(style); literal != "" {
			t.Errorf("%s is no token", literal)
		}
	}

	w := newWorldAt(t, sessionstest.HostForm)
	w.Options.Tokens, w.Options.Mark = string(tokens), func() (string, []byte) { return "image/png", []byte("a mark") }
	w.Server = w.NewService()
	w.Run(w.Server)
	assets := w.Origin(w.Running("Session")) + "/.cairn/assets/"
	if sheet := w.Visit(http.MethodGet, assets+"pages.css").Body.String(); sheet != string(tokens)+origin.PageStyle {
		t.Errorf("the style sheet is %.80q", sheet)
	}
	// Of the script in Jupyter's pages: they choose the size of the root's text, and have their own :root.
	sheet := w.Visit(http.MethodGet, assets+"session.css").Body.String()
	if strings.Contains(sheet, ":root") || regexp.MustCompile(`[\d.]+rem\b`).MatchString(sheet) ||
		!strings.Contains(sheet, "--text-note: calc(0.875 * 16px);") || !strings.HasSuffix(sheet, origin.SessionStyle) {
		t.Errorf("the style sheet of the script is %s", sheet)
	}
	mark := w.Visit(http.MethodGet, assets+"mark")
	if header := mark.Header(); mark.Body.String() != "a mark" || header.Get("Content-Type") != "image/png" || header.Get(origin.ContentSecurityPolicy) != origin.PageSecurity {
		t.Errorf("the mark is %q with %v", mark.Body, header)
	}
}
