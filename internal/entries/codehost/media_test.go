package codehost_test

import (
	"fmt"
	"strings"
	"testing"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/fault"
)

func pointerTo(bytes int) string {
	return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s7\nsize %d\n", strings.Repeat("0", 63), bytes)
}

func TestPointersOfGitLFS(t *testing.T) {
	pointer := pointerTo(123)
	w := newWorld(t, "")
	w.Put(githubtest.Repository{
		Name: "owner/name", Links: map[string]string{"link.csv": "data.csv", "kept link": "kept.csv"},
		Files: map[string]string{
			"index.ipynb": pointer, "data.csv": pointer, "ext.bin": strings.Replace(pointer, "oid", "ext-0-crypt sha256:"+strings.Repeat("1", 64)+"\noid", 1),
			"about.md": "# Git LFS\n\n" + pointer, "long.txt": pointer + strings.Repeat("x", 2_000), "half": "version https://git-lfs.github.com/spec/v1\n",
			"kept.csv": pointer, "big.csv": pointerTo(1_000_000), "new.csv": strings.Replace(pointer, "sha256", "sha512", 1), "crlf.csv": strings.ReplaceAll(pointer, "\n", "\r\n"),
		},
		Stored: map[string]string{"kept.csv": "1,2\n", "big.csv": strings.Repeat("1,2\n", 250_000), "new.csv": "never asked for", "crlf.csv": "3,4\n"},
	})
	hosts := codehost.NewHosts(map[string]codehost.Host{"github.com": w.GitHub}, nil)
	for kind, paths := range map[fault.Kind][]string{
		fault.Invalid: {"index.ipynb", "data.csv", "link.csv", "ext.bin", "new.csv"}, fault.TooLarge: {"big.csv"},
	} {
		for _, path := range paths {
			if _, err := hosts.File(t.Context(), named, path, 10_000); fault.KindOf(err) != kind {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	for _, path := range []string{"about.md", "long.txt", "half"} {
		if _, err := hosts.File(t.Context(), named, path, 10_000); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{"kept.csv": "1,2\n", "kept link": "1,2\n", "crlf.csv": "3,4\n"} {
		if file, err := hosts.File(t.Context(), named, path, 10_000); err != nil || string(file.Content) != want {
			t.Errorf("%s: %q %v", path, file.Content, err)
		}
	}
	_, err := hosts.File(t.Context(), named, "data.csv", 10_000)
	if want := `"data.csv" is kept in Git LFS, and its host doesn't send it. The repository itself has only a pointer to it, so it can't be shown here.`; fault.MessageOf(err) != want {
		t.Errorf("got %q", fault.MessageOf(err))
	}
	w.Disturb(githubtest.Disturbance{Path: "/media", Status: 503})
	if _, err := hosts.File(t.Context(), named, "index.ipynb", 9_000); err == nil {
		t.Error("a pointer is shown while the host doesn't send files")
	}
}
