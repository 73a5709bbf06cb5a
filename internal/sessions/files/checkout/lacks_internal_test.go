package checkout

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const testPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0000000000000000000000000000000000000000000000000000000000000007\nsize 123\n"

// A session says what a copy lacks, whichever branch, tag or commit was checked out.
func TestWhatACopyLacks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		links []string // submodules
		want  string
	}{
		"nothing":     {map[string]string{"a.csv": "1,2\n", ".gitattributes": "*.csv filter=lfs\n", "b.txt": testPointer}, nil, ""},
		"an old list": {map[string]string{"a": "", ".gitmodules": "[submodule \"lib\"]\n\tpath = lib\n\turl = https://example.org/lib\n"}, nil, ""},
		"a submodule": {map[string]string{"a": ""}, []string{"lib"}, `The files of submodules aren't copied: "lib".`},
		"submodules":  {map[string]string{"a": ""}, []string{"a b", "deep/lib", "e", "é", "z"}, `The files of submodules aren't copied: "a b", "deep/lib", "e" and 2 more.`},
		"data in LFS": {map[string]string{".gitattributes": "*.csv filter=lfs diff=lfs merge=lfs -text\n", "data/my data.csv": testPointer, "own.csv": "1\n"}, nil, `Files in Git LFS aren't copied; there are only pointers to them: "data/my data.csv".`},
		"LFS by folder": {
			map[string]string{"big/.gitattributes": "* filter=lfs\n.gitattributes !filter\n", "big/x.ipynb": testPointer},
			[]string{"lib"},
			`The files of submodules aren't copied: "lib". Files in Git LFS aren't copied; there are only pointers to them: "big/x.ipynb".`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := t.TempDir()
			git := func(arguments ...string) {
				t.Helper()
				command := exec.CommandContext(t.Context(), "git", append([]string{"-C", from, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "filter.lfs.clean=cat", "-c", "filter.lfs.smudge=cat"}, arguments...)...)
				if said, err := command.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v %s", arguments, err, said)
				}
			}
			git("init", "--quiet", "--initial-branch", "main")
			for path, content := range c.files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(from, path)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(from, path), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			git("add", "--all")
			for _, path := range c.links {
				git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("a", 40)+","+path)
			}
			git("commit", "--quiet", "--message", "one")
			git("tag", "v1")
			for _, ref := range []string{"", "main", "v1"} {
				command := exec.CommandContext(t.Context(), "sh", "-c", cloneScript, "git", from, filepath.Join(t.TempDir(), "copy"), ref)
				command.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
				output, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("%q: %v %s", ref, err, output)
				}
				said := gitOutput{}
				if err := said.read(bytes.NewReader(output), func(string) {}, func(string) {}); err != nil || said.commit == "" || said.lacks() != c.want {
					t.Errorf("%q: %q, want %q; %v %s", ref, said.lacks(), c.want, err, output)
				}
			}
		})
	}
}
