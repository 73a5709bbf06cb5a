package fault_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// unwanted matches what docs/words.md rules out in sentences for people.
var unwanted = regexp.MustCompile(`(?i)!(?:\s|$)|\bplease\b|\bsorry\b|\boops\b|\bsuccessfully\b`)

// The contract prescribes these word for word.
var given = []string{
	"Please check the URL.", "Please ask the operators", "Please select a repository.", "Please enter a project name.",
	"Please log in again.",
}

// Every text passed to this package becomes a sentence that people read.
func TestMessagesHaveOneVoice(t *testing.T) {
	set := token.NewFileSet()
	found := 0
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			function, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if from, ok := function.X.(*ast.Ident); !ok || from.Name != "fault" {
				return true
			}
			ast.Inspect(call, func(part ast.Node) bool {
				literal, ok := part.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				found++
				for _, each := range given {
					text = strings.ReplaceAll(text, each, "")
				}
				if word := unwanted.FindString(text); word != "" {
					t.Errorf("%s says %q; see docs/words.md", set.Position(literal.Pos()), word)
				}
				return true
			})
			return true
		})
		return nil
	})
	if err != nil || found < 200 {
		t.Fatalf("%d texts looked at: %v", found, err)
	}
}
