package humanize_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/humanize"
)

func TestDurations(t *testing.T) {
	t.Parallel()
	for length, want := range map[time.Duration]string{
		0: "0 seconds", time.Second: "1 second", 90 * time.Second: "90 seconds", time.Minute: "1 minute", 90 * time.Minute: "90 minutes",
		time.Hour: "1 hour", 48 * time.Hour: "2 days", 36 * time.Hour: "36 hours", 1500 * time.Millisecond: "1.5 seconds", time.Hour + time.Second: "3601 seconds",
	} {
		if got := humanize.Duration(length); got != want {
			t.Errorf("%s: %q, want %q", length, got, want)
		}
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Rivers": "Rivers", "a/b\\c:d": "a-b-c-d", " .. ": "entry", "": "entry", ".hidden.": "hidden", strings.Repeat("ä", 100): strings.Repeat("ä", 80),
	} {
		if got := humanize.FileName(name, "entry"); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		"https://example.org:8443/path": {"example.org:8443", "example.org"}, "http://[::1]:80": {"[::1]:80", "::1"}, "example.org": {"", ""}, ":": {"", ""},
	} {
		if host, name := humanize.Host(address), humanize.HostName(address); host != want[0] || name != want[1] {
			t.Errorf("%q: %q and %q, want %q", address, host, name, want)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	if got := humanize.Quote("a b"); got != `"a b"` {
		t.Error(got)
	}
	if got := humanize.OneLine(" a\n\tb  c "); got != "a b c" {
		t.Error(got)
	}
	_, err := os.Open(t.TempDir() + "/missing")
	if got := humanize.Reason(fmt.Errorf("opening: %w", err)); got != "no such file or directory" {
		t.Error(got)
	}
	if got := humanize.Reason(errors.New("it is closed")); got != "it is closed" {
		t.Error(got)
	}
}
