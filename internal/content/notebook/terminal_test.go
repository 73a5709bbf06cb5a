package notebook

import (
	"slices"
	"testing"
)

func TestLineThatEndsPlain(t *testing.T) {
	t.Parallel()
	terminal := &terminal{limit: plainBytes}
	terminal.write("\x1b[31m1\nred\x1b[0m and plain\nplain\nover\rX\nend")
	want := []string{`<span class="ink-red">1</span>`, `<span class="ink-red">red</span> and plain`, "plain", "Xver", "end"}
	if lines := terminal.end(); !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
}
