package bareclone_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/files/bareclone"
)

// git runs git and returns what it says.
func git(t *testing.T, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "/usr/bin/git", arguments...)
	command.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", arguments, err, output)
	}
	return strings.TrimSpace(string(output))
}

// newClone makes a bare clone with loose and packed objects, and with what must stay behind.
func newClone(t *testing.T, format string) string {
	t.Helper()
	folder := t.TempDir()
	tree, bare := filepath.Join(folder, "tree"), filepath.Join(folder, "bare")
	git(t, "init", "--quiet", "--template=", "--initial-branch=main", "--object-format="+format, tree)
	for _, name := range []string{"first", "second"} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		git(t, "-C", tree, "add", "--all")
		git(t, "-C", tree, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", name)
		if name == "first" {
			git(t, "-C", tree, "gc", "--quiet")
		}
	}
	git(t, "-C", tree, "branch", "side/ways")
	git(t, "clone", "--quiet", "--template=", "--bare", tree, bare)
	git(t, "-C", bare, "config", "http.extraHeader", "a secret")
	for name, text := range map[string]string{"hooks/post-checkout": "#!/bin/sh\n", "info/attributes": "* filter=x", "FETCH_HEAD": "a secret", "objects/info/alternates": tree + "/.git/objects\n"} {
		path := filepath.Join(bare, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return bare
}

// read unpacks into a new folder and returns its path.
func read(t *testing.T, packed io.Reader, limit int64) (string, error) {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	return filepath.Join(root.Name(), "sent.git"), bareclone.Read(t.Context(), root, "sent.git", packed, limit)
}

func packed(t *testing.T, folder string) []byte {
	t.Helper()
	var written bytes.Buffer
	if err := bareclone.Write(t.Context(), folder, &written); err != nil {
		t.Fatal(err)
	}
	return written.Bytes()
}

func TestACloneArrivesWithNothingButTheRepository(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		from := newClone(t, format)
		to, err := read(t, bytes.NewReader(packed(t, from)), 10<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, question := range [][]string{{"show-ref"}, {"log", "--format=%H %T", "main"}, {"symbolic-ref", "HEAD"}} {
			if sent, came := git(t, append([]string{"-C", from}, question...)...), git(t, append([]string{"-C", to}, question...)...); sent != came {
				t.Errorf("%s: %v is %q, want %q", format, question, came, sent)
			}
		}
		git(t, "-C", to, "fsck", "--full")
		for _, name := range []string{"hooks", "info", "FETCH_HEAD", "objects/info"} {
			if _, err := os.Lstat(filepath.Join(to, name)); !os.IsNotExist(err) {
				t.Errorf("%s: %s came too: %v", format, name, err)
			}
		}
		if config, err := os.ReadFile(filepath.Join(to, "config")); err != nil || strings.Contains(string(config), "secret") {
			t.Errorf("%s: the configuration is %q, %v", format, config, err)
		}
	}
}

func TestAPartOfACloneIsNotTakenForAll(t *testing.T) {
	t.Parallel()
	whole := packed(t, newClone(t, "sha1"))
	for _, length := range []int{0, 100, 512, len(whole) / 2, len(whole) - 4096} {
		if _, err := read(t, bytes.NewReader(whole[:length]), 0); !errors.Is(err, bareclone.ErrCut) {
			t.Errorf("%d of %d bytes: %v", length, len(whole), err)
		}
	}
	if _, err := read(t, io.MultiReader(bytes.NewReader(whole[:700]), broken{}), 0); !errors.Is(err, bareclone.ErrCut) {
		t.Errorf("a connection that breaks: %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the connection broke") }

func TestACloneThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	_, err := read(t, bytes.NewReader(packed(t, newClone(t, "sha1"))), 20<<10)
	if fault.KindOf(err) != fault.TooLarge || diagnosis.CodeOf(err) != diagnosis.TooLarge {
		t.Errorf("%v", err)
	}
}

// Whatever a tar file holds, nothing is written but files of a repository, in its folder.
func TestHostileArchivesAreRefused(t *testing.T) {
	t.Parallel()
	object := "objects/ab/" + strings.Repeat("c", 38)
	for what, headers := range map[string][]tar.Header{
		"a name that leads out":   {{Name: "../HEAD"}},
		"one among the branches":  {{Name: "refs/../../x"}},
		"an absolute name":        {{Name: "/etc/passwd"}},
		"a link":                  {{Name: "refs/heads/main", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}},
		"a hard link":             {{Name: object, Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}},
		"a device":                {{Name: "refs/heads/main", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 1}},
		"a pipe":                  {{Name: "HEAD", Typeflag: tar.TypeFifo}},
		"a folder":                {{Name: "refs/heads/", Typeflag: tar.TypeDir}},
		"a hook":                  {{Name: "hooks/post-checkout"}},
		"a configuration":         {{Name: "config"}},
		"further objects":         {{Name: "objects/info/alternates"}},
		"attributes":              {{Name: "info/attributes"}},
		"a hidden branch":         {{Name: "refs/heads/.x"}},
		"the lock of a branch":    {{Name: "refs/heads/main.lock"}},
		"a branch of many bytes":  {{Name: "refs/heads/main", Size: 1 << 20}},
		"a file twice":            {{Name: "packed-refs"}, {Name: "packed-refs"}},
		"a branch in a branch":    {{Name: "refs/heads/a"}, {Name: "refs/heads/a/b"}},
		"a branch around another": {{Name: "refs/heads/a/b"}, {Name: "refs/heads/a"}},
	} {
		var written bytes.Buffer
		archive := tar.NewWriter(&written)
		for _, header := range append(headers, tar.Header{Name: "HEAD"}) {
			if header.Typeflag == 0 {
				header.Typeflag = tar.TypeReg
			}
			err := archive.WriteHeader(&header)
			if err == nil {
				_, err = archive.Write(make([]byte, header.Size))
			}
			if err != nil {
				t.Fatal(what, err)
			}
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t, &written, 10<<20); fault.KindOf(err) != fault.Malformed {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := read(t, strings.NewReader(strings.Repeat("no tar file ", 1000)), 0); fault.KindOf(err) != fault.Malformed {
		t.Errorf("no tar file: %v", err)
	}
}
