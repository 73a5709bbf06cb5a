package notebook

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

func newHighlighter(t *testing.T) *Highlighter {
	t.Helper()
	highlighter, err := NewHighlighter()
	if err != nil {
		t.Fatal(err)
	}
	return highlighter
}

func TestHighlightsCountAsScriptsDo(t *testing.T) {
	t.Parallel()
	const text = "# 🧬 π\r\ndef f(x):\r\n    return \"🧬\" + 1"
	var got []string
	rest := utf16.Encode([]rune(text))
	for _, highlight := range newHighlighter(t).Highlights(t.Context(), "a.py", text) {
		if highlight.Kind != "" {
			got = append(got, highlight.Kind+" "+string(utf16.Decode(rest[:highlight.Length])))
		}
		rest = rest[highlight.Length:]
	}
	want := []string{"comment # 🧬 π", "keyword def", "name f", "keyword return", `string "🧬"`, "literal 1"}
	for i := range got {
		got[i] = strings.TrimSpace(got[i])
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatIsNotHighlighted(t *testing.T) {
	t.Parallel()
	highlighter := newHighlighter(t)
	for name, text := range map[string]string{
		"README.md": "# Title\n", "data.unknown": "def f(): pass", "long.py": strings.Repeat("x = 1\n", highlightedText/6+1), "empty.py": "",
	} {
		if got := highlighter.Highlights(t.Context(), name, text); len(got) != 0 {
			t.Errorf("%s: %d runs", name, len(got))
		}
	}
}

// Texts wait for their turn, and not longer than their reader; what is known needs none.
func TestHighlightingTakesTurns(t *testing.T) {
	t.Parallel()
	highlighter := newHighlighter(t)
	known := highlighter.Highlights(t.Context(), "a.py", "def f(): pass")
	for range highlightedAtATime {
		highlighter.turns <- struct{}{}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if got := highlighter.Highlights(gone, "a.py", "def g(): pass"); got != nil {
		t.Errorf("got %v without a turn", got)
	}
	if got := highlighter.Highlights(gone, "b.py", "def f(): pass"); len(got) == 0 || !slices.Equal(got, known) {
		t.Errorf("got %v for a known text, want %v", got, known)
	}
}
