// Package docs checks what documents say about the repository.
package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// inCode matches a path of the repository between backticks, up to a place holder or a pattern.
var inCode = regexp.MustCompile("`((?:internal|web|cmd|e2e|bench|deploy|tools|scripts|docs|api|\\.ci)/[A-Za-z0-9_./-]*)(?:`|:| )")

// placeholder matches a part of a path that readers replace.
var placeholder = regexp.MustCompile(`NAME|FEATURE|FOLDER`)

// link matches the target of a link that isn't an address, nor a path of a server.
var link = regexp.MustCompile(`\]\(([^)#:\s/][^)#:\s]*)(?:#[^)]*)?\)`)

// TestPathsInDocumentsExist refuses documents that lead to files which were moved or removed.
func TestPathsInDocumentsExist(t *testing.T) {
	listed, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for name := range strings.FieldsSeq(string(listed)) {
		if strings.Contains(name, "/testdata/") || strings.HasPrefix(name, "internal/site/demo/") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) { // removed and not committed yet
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range inCode.FindAllStringSubmatch(string(content), -1) {
			if placeholder.MatchString(found[1]) {
				continue
			}
			checked++
			if _, err := os.Stat(filepath.Join(root, found[1])); err != nil {
				t.Errorf("%s names %s, which doesn't exist", name, found[1])
			}
		}
		for _, found := range link.FindAllStringSubmatch(string(content), -1) {
			checked++
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), found[1])); err != nil {
				t.Errorf("%s leads to %s, which doesn't exist", name, found[1])
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d paths were found", checked)
	}
}
