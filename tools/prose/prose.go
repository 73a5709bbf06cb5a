// Package prose finds code that reads meaning out of our own sentences. What people read may be reworded at any time;
// programs use codes and fields (docs/adr/0026-codes.md).
//
// It reports where the text of a fault, of a problem document or of a session's state is compared or searched: ==, !=,
// switch, the searching functions of strings, bytes and slices, regular expressions, and keys of maps. Code may check
// whether a text is empty. Tests compare texts, so test files are exempt, and so are packages for tests, which import
// "testing". Texts of other programs have their own types; the text of
// an error of unknown kind counts as ours, except in the files that foreign lists.
package prose

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name: "prose",
	Doc:  "refuses code that compares or searches our own messages instead of codes",
	Run:  run,
}

// texts are the fields that contain sentences for people, by package, type and field.
var texts = map[string]bool{
	"cairn/internal/foundation/fault.Fault.Message":          true,
	"cairn/internal/foundation/fault.Field.Message":          true,
	"cairn/internal/foundation/fault.Field.Ask":              true,
	"cairn/internal/foundation/httpapi.Problem.Detail":       true,
	"cairn/internal/foundation/httpapi.Problem.Message":      true,
	"cairn/internal/foundation/httpapi.ProblemField.Message": true,
	"cairn/internal/sessions.Session.StatusReason":           true,
	"cairn/internal/sessions/engine.Status.Reason":           true,
}

// tellers are the functions that return such sentences.
var tellers = map[string]bool{
	"cairn/internal/foundation/fault.MessageOf":          true,
	"(*cairn/internal/foundation/fault.Fault).Error":     true,
	"(*cairn/internal/foundation/httpapi.Problem).Error": true,
	"(error).Error": true, // may be a fault's
}

// foreign are the files that read the errors of libraries, which have no codes: errors whose kind they don't know, and
// which no fault can be.
var foreign = map[string]bool{
	"cairn/internal/app/transfer/importlines.go":           true, // encoding/json: an unknown field
	"cairn/internal/entries/codehost/descriptor_syntax.go": true, // yaml: where the syntax is broken
	"cairn/internal/site/reader.go":                        true, // yaml
}

// searchers are the functions of the standard library that search a text, by the beginnings of their names.
var searchers = map[string][]string{
	"strings": {"Compare", "Contains", "Count", "Cut", "EqualFold", "Fields", "HasPrefix", "HasSuffix", "Index", "LastIndex", "Replace", "Split", "TrimPrefix", "TrimSuffix"},
	"bytes":   {"Compare", "Contains", "Count", "Cut", "Equal", "Fields", "HasPrefix", "HasSuffix", "Index", "LastIndex", "Replace", "Split", "TrimPrefix", "TrimSuffix"},
	"slices":  {"Contains", "Index"},
	"regexp":  {"Match", "Find", "Replace", "Split"},
	"cmp":     {"Compare"},
	"fmt":     {"Sscan"},
}

func run(pass *analysis.Pass) (any, error) {
	var files []*ast.File
	for _, file := range pass.Files {
		if strings.HasSuffix(pass.Fset.File(file.Pos()).Name(), "_test.go") {
			continue
		}
		if importsTesting(file) {
			return nil, nil
		}
		files = append(files, file)
	}
	for _, file := range files {
		name := pass.Pkg.Path() + "/" + filepath.Base(pass.Fset.File(file.Pos()).Name())
		check := checker{pass: pass, held: map[types.Object]bool{}, foreign: foreign[name]}
		for check.learn(file) {
		}
		ast.Inspect(file, check.visit)
	}
	return nil, nil
}

func importsTesting(file *ast.File) bool {
	for _, imported := range file.Imports {
		if imported.Path.Value == `"testing"` {
			return true
		}
	}
	return false
}

type checker struct {
	pass    *analysis.Pass
	held    map[types.Object]bool // variables that hold a sentence
	foreign bool                  // the file may read the errors of libraries
}

// learn records the variables to which sentences are assigned; it reports whether there was a new one.
func (c checker) learn(file *ast.File) (news bool) {
	note := func(target, value ast.Expr) {
		name, ok := target.(*ast.Ident)
		if !ok || !c.tells(value) {
			return
		}
		if object := c.pass.TypesInfo.ObjectOf(name); object != nil && !c.held[object] {
			c.held[object], news = true, true
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			if len(node.Lhs) == len(node.Rhs) {
				for i := range node.Lhs {
					note(node.Lhs[i], node.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			if len(node.Names) == len(node.Values) {
				for i := range node.Names {
					note(node.Names[i], node.Values[i])
				}
			}
		}
		return true
	})
	return news
}

// tells reports whether an expression is one of our sentences, or derived from one.
func (c checker) tells(expression ast.Expr) bool {
	switch e := ast.Unparen(expression).(type) {
	case *ast.Ident:
		return c.held[c.pass.TypesInfo.ObjectOf(e)]
	case *ast.SelectorExpr:
		return texts[c.field(e)]
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (c.tells(e.X) || c.tells(e.Y))
	case *ast.SliceExpr:
		return c.tells(e.X)
	case *ast.CallExpr:
		if c.pass.TypesInfo.Types[e.Fun].IsType() { // a conversion
			return c.tells(e.Args[0])
		}
		function, _ := c.callee(e)
		if function == nil {
			return false
		}
		if name := function.FullName(); tellers[name] {
			return name != "(error).Error" || !c.foreign
		}
		// strings.ToLower and the like return the same sentence.
		if function.Pkg() != nil && function.Pkg().Path() == "strings" && len(e.Args) > 0 && isString(function.Signature().Results()) {
			return c.tells(e.Args[0])
		}
	}
	return false
}

func isString(results *types.Tuple) bool {
	return results.Len() == 1 && types.Identical(results.At(0).Type(), types.Typ[types.String])
}

// field returns the field that a selector refers to, named as in texts; "" if there is none.
func (c checker) field(selector *ast.SelectorExpr) string {
	selection := c.pass.TypesInfo.Selections[selector]
	if selection == nil || selection.Kind() != types.FieldVal {
		return ""
	}
	owner := selection.Recv()
	for _, index := range selection.Index()[:len(selection.Index())-1] { // through embedded structs
		owner = structOf(owner).Field(index).Type()
	}
	if pointer, ok := types.Unalias(owner).Underlying().(*types.Pointer); ok {
		owner = pointer.Elem()
	}
	named, ok := types.Unalias(owner).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	return named.Obj().Pkg().Path() + "." + named.Obj().Name() + "." + selector.Sel.Name
}

func structOf(owner types.Type) *types.Struct {
	if pointer, ok := owner.Underlying().(*types.Pointer); ok {
		owner = pointer.Elem()
	}
	return owner.Underlying().(*types.Struct)
}

// callee returns the function that a call names, if any, and the name by which searchers knows its package.
func (c checker) callee(call *ast.CallExpr) (*types.Func, string) {
	var name *ast.Ident
	switch function := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = function
	case *ast.SelectorExpr:
		name = function.Sel
	case *ast.IndexExpr: // an instance of a generic function
		if selector, ok := function.X.(*ast.SelectorExpr); ok {
			name = selector.Sel
		}
	}
	if name == nil {
		return nil, ""
	}
	function, ok := c.pass.TypesInfo.ObjectOf(name).(*types.Func)
	if !ok || function.Pkg() == nil {
		return function, ""
	}
	return function, function.Pkg().Path()
}

func (c checker) visit(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.BinaryExpr:
		switch node.Op {
		case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
			if (c.tells(node.X) && !c.isEmpty(node.Y)) || (c.tells(node.Y) && !c.isEmpty(node.X)) {
				c.report(node, "compares")
			}
		}
	case *ast.SwitchStmt:
		if node.Tag != nil && c.tells(node.Tag) {
			c.report(node.Tag, "compares")
		}
		for _, clause := range node.Body.List {
			for _, value := range clause.(*ast.CaseClause).List {
				if node.Tag != nil && c.tells(value) {
					c.report(value, "compares")
				}
			}
		}
	case *ast.IndexExpr:
		if _, isMap := c.pass.TypesInfo.TypeOf(node.X).Underlying().(*types.Map); isMap && c.tells(node.Index) {
			c.report(node, "looks up")
		}
	case *ast.CallExpr:
		function, from := c.callee(node)
		if function == nil || !searches(function.Name(), searchers[from]) {
			break
		}
		for _, argument := range node.Args {
			if c.tells(argument) {
				c.report(node, "searches")
				break
			}
		}
	}
	return true
}

func searches(name string, beginnings []string) bool {
	for _, beginning := range beginnings {
		if strings.HasPrefix(name, beginning) {
			return true
		}
	}
	return false
}

func (c checker) isEmpty(expression ast.Expr) bool {
	value := c.pass.TypesInfo.Types[expression].Value
	return value != nil && value.Kind() == constant.String && constant.StringVal(value) == ""
}

func (c checker) report(node ast.Node, does string) {
	c.pass.Reportf(node.Pos(), "this %s a sentence for people; go by the fault's code or fields", does)
}
