// Command references counts how the files below some packages refer to each other, and how many of these references run back
// up: against the order of files in which as few as possible do.
//
//	cd tools && go run ./references cairn/internal/sessions cairn/internal/sessions/origin
//
// A file refers to another one if it uses a function, a type, a variable, a constant or a method that is declared there; many
// uses are one reference. Fields, receivers and tests don't count. The order is that of Eades, Lin and Smyth (1993): files that
// nobody refers to come first, those that refer to nobody last, and of the others always the one that refers to most more
// than it is referred to. Files in a knot stay in the order in which they are named.
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// graph has the files to which each file refers.
type graph map[string]map[string]bool

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(patterns []string) error {
	loaded, err := packages.Load(&packages.Config{
		Dir:  "..",
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
	}, patterns...)
	if err != nil {
		return err
	}
	if packages.PrintErrors(loaded) > 0 {
		return fmt.Errorf("the packages can't be loaded")
	}
	found := graph{}
	for _, one := range loaded {
		for _, file := range one.Syntax {
			found[name(one.Fset, file.Pos())] = map[string]bool{}
		}
	}
	for _, one := range loaded {
		for _, file := range one.Syntax {
			found.add(one, file)
		}
	}
	report(found)
	return nil
}

func name(set *token.FileSet, at token.Pos) string {
	file := set.Position(at).Filename
	return filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
}

// add adds what a file refers to.
func (g graph) add(of *packages.Package, file *ast.File) {
	from := name(of.Fset, file.Pos())
	receivers := map[*ast.Ident]bool{}
	for _, declared := range file.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok && function.Recv != nil {
			ast.Inspect(function.Recv, func(node ast.Node) bool {
				if identifier, ok := node.(*ast.Ident); ok {
					receivers[identifier] = true
				}
				return true
			})
		}
	}
	for identifier, used := range of.TypesInfo.Uses {
		if receivers[identifier] || of.Fset.File(identifier.Pos()) != of.Fset.File(file.Pos()) || used.Pkg() == nil || isLocal(used) {
			continue
		}
		if to := name(of.Fset, used.Pos()); to != from && g[to] != nil {
			g[from][to] = true
		}
	}
}

// isLocal reports whether something is a field, or declared in a function.
func isLocal(used types.Object) bool {
	switch one := used.(type) {
	case *types.Func:
		return false
	case *types.Var:
		return !one.IsField() && one.Parent() != one.Pkg().Scope()
	}
	return used.Parent() != used.Pkg().Scope()
}

// order returns the files so that few references run back.
func (g graph) order() []string {
	left := slices.Sorted(maps.Keys(g))
	var first, last []string
	degrees := func(file string) (out, in int) {
		for _, other := range left {
			if g[file][other] {
				out++
			}
			if g[other][file] {
				in++
			}
		}
		return out, in
	}
	take := func(fits func(out, in int) bool) (string, bool) {
		for i, file := range left {
			if fits(degrees(file)) {
				left = slices.Delete(left, i, i+1)
				return file, true
			}
		}
		return "", false
	}
	for len(left) > 0 {
		if file, ok := take(func(out, _ int) bool { return out == 0 }); ok {
			last = append(last, file)
			continue
		}
		if file, ok := take(func(_, in int) bool { return in == 0 }); ok {
			first = append(first, file)
			continue
		}
		best := slices.MaxFunc(left, func(one, other string) int {
			out, in := degrees(one)
			otherOut, otherIn := degrees(other)
			return cmp.Or(cmp.Compare(out-in, otherOut-otherIn), strings.Compare(other, one))
		})
		first, left = append(first, best), slices.DeleteFunc(left, func(file string) bool { return file == best })
	}
	slices.Reverse(last)
	return append(first, last...)
}

func report(of graph) {
	place := map[string]int{}
	for i, file := range of.order() {
		place[file] = i
	}
	total, back := 0, []string{}
	for _, from := range slices.Sorted(maps.Keys(of)) {
		for _, to := range slices.Sorted(maps.Keys(of[from])) {
			total++
			if place[to] < place[from] {
				back = append(back, from+" -> "+to)
			}
		}
	}
	fmt.Printf("%d files, %d references, %d of them run back up (%d %%)\n", len(of), total, len(back), 100*len(back)/max(1, total))
	for _, one := range back {
		fmt.Println("  " + one)
	}
}
