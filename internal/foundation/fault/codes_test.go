package fault_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"testing"

	"cairn/internal/foundation/fault"
)

func TestEveryFaultHasACode(t *testing.T) {
	for kind := fault.Internal; kind <= fault.Unavailable; kind++ {
		made := fault.New(kind, "Words.")
		if made.Kind != kind || made.Code == "" || (made.Code == "internal") != (kind == fault.Internal) {
			t.Errorf("kind %d gave %+v", kind, made)
		}
	}
	limit := fmt.Errorf("asked: %w", fault.Wrap(errors.New("cause"), fault.SessionLimit, "Words."))
	if fault.KindOf(limit) != fault.Conflict || fault.CodeOf(limit) != fault.SessionLimit {
		t.Errorf("got %d and %q", fault.KindOf(limit), fault.CodeOf(limit))
	}
	if got := fault.InvalidFields(nil); got.Code != "invalid" {
		t.Errorf("got %q", got.Code)
	}
	if got := fault.CodeOf(errors.New("no fault")); got != "internal" {
		t.Errorf("got %q", got)
	}
}

func TestCodesAreAllListedOnce(t *testing.T) {
	listed := map[fault.Code]bool{}
	for _, row := range fault.Codes {
		if listed[row.Code] || !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(string(row.Code)) || row.Meaning == "" {
			t.Errorf("%+v", row)
		}
		listed[row.Code] = true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		constant, ok := node.(*ast.ValueSpec)
		if !ok || len(constant.Values) != 1 {
			return true
		}
		if literal, ok := constant.Values[0].(*ast.BasicLit); ok {
			if code, err := strconv.Unquote(literal.Value); err != nil || !listed[fault.Code(code)] {
				t.Errorf("%s is not in Codes", literal.Value)
			}
		}
		return true
	})
}
