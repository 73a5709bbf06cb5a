package humanize_test

import (
	"testing"

	"cairn/internal/foundation/humanize"
)

func TestSizesAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"2GiB": 2 << 30, "1.5 GB": 15e8, "512MiB": 512 << 20, "0.001TB": 1e9,
		"": 0, "8 gigs": 0, "-8GiB": 0, "1e30": 0, "NaN": 0, "8": 0, "8Gi": 0, "8G": 0, "0x8GiB": 0, "999999999TiB": 0, " 8GiB": 0, "8GiB\n": 0,
	} {
		if got, ok := humanize.ParseBytes(text); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %d %v, want %d", text, got, ok, want)
		}
	}
}

func TestSizesAreWritten(t *testing.T) {
	t.Parallel()
	for size, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 37_600: "36.7 KiB", 8 << 30: "8 GiB", 2e9: "1.9 GiB", 3e15: "2.7 PiB", 5e18: "4441 PiB"} {
		if got := humanize.Bytes(size); got != want {
			t.Errorf("%d: %q, want %q", size, got, want)
		}
	}
}
