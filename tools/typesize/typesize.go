// Package typesize finds types that have grown too large to be understood as one thing: more than 60 methods or 30 fields,
// those of embedded types counted. A type of so many methods is usually several that share a lock; it becomes easier to read,
// and to change safely, once each of them owns its fields.
//
// Shapes of data, which are types without more than 15 methods of their own, may have any number of fields: rows, answers of
// the API, options. The types that are larger today are listed in exceptions with their numbers, which may only shrink.
package typesize

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// The limits of a type.
const (
	mostMethods = 60
	mostFields  = 30
	shapeLimit  = 15 // methods of a shape of data
)

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name: "typesize",
	Doc:  "refuses types with more methods or fields than one type should have",
	Run:  run,
}

// size is what a type has.
type size struct{ methods, fields int }

// exceptions are the types that are over a limit today, by package and name. A type that shrinks takes its entry along.
var exceptions = map[string]size{
	"cairn/internal/app/config.Config":              {fields: 35},
	"cairn/internal/entries/catalog.Entry":          {fields: 36},
	"cairn/internal/entries/catalog/index.Index":    {methods: 85, fields: 35},
	"cairn/internal/foundation/versions.Store":      {methods: 81},
	"cairn/internal/foundation/versions.storeState": {methods: 63},
}

func run(pass *analysis.Pass) (any, error) {
	scope := pass.Pkg.Scope()
	for _, name := range scope.Names() {
		declared, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || declared.IsAlias() {
			continue
		}
		named, ok := declared.Type().(*types.Named)
		if !ok || types.IsInterface(named) || isOfTest(pass, declared) {
			continue
		}
		check(pass, declared, measure(pass, named), named.NumMethods())
	}
	return nil, nil
}

func isOfTest(pass *analysis.Pass, declared types.Object) bool {
	return strings.HasSuffix(pass.Fset.Position(declared.Pos()).Filename, "_test.go")
}

func check(pass *analysis.Pass, declared *types.TypeName, has size, own int) {
	tooMany := size{}
	if has.methods > mostMethods {
		tooMany.methods = has.methods
	}
	if has.fields > mostFields && own > shapeLimit {
		tooMany.fields = has.fields
	}
	name := pass.Pkg.Path() + "." + declared.Name()
	allowed, listed := exceptions[name]
	switch {
	case listed && tooMany == (size{}):
		pass.Reportf(declared.Pos(), "%s has %d methods and %d fields: it keeps the limits now, so remove it from the exceptions in tools/typesize",
			declared.Name(), has.methods, has.fields)
	case listed && tooMany != allowed && tooMany.methods <= allowed.methods && tooMany.fields <= allowed.fields:
		pass.Reportf(declared.Pos(), "%s has shrunk to %d methods and %d fields: write that into the exceptions in tools/typesize",
			declared.Name(), has.methods, has.fields)
	case tooMany.methods > allowed.methods:
		pass.Reportf(declared.Pos(), "%s has %d methods with those of embedded types, and at most %d belong to one type: give a topic of it a type that owns its fields",
			declared.Name(), has.methods, max(mostMethods, allowed.methods))
	case tooMany.fields > allowed.fields:
		pass.Reportf(declared.Pos(), "%s has %d fields with those of embedded types, and at most %d belong to one type with methods: give a topic of it a type that owns them",
			declared.Name(), has.fields, max(mostFields, allowed.fields))
	}
}

// measure counts the methods of a pointer to the type, without those that it has from other modules or for tests, and its fields.
func measure(pass *analysis.Pass, named *types.Named) size {
	has := size{fields: fields(named, map[types.Type]bool{})}
	for method := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if from := method.Obj().Pkg(); from != nil && strings.HasPrefix(from.Path(), "cairn/") && !isOfTest(pass, method.Obj()) {
			has.methods++
		}
	}
	return has
}

// fields counts the fields of a struct, and in place of an embedded struct of Cairn the fields of that.
func fields(of types.Type, seen map[types.Type]bool) (count int) {
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	if seen[of] {
		return 0
	}
	seen[of] = true
	structure, ok := of.Underlying().(*types.Struct)
	if !ok {
		return 1
	}
	for field := range structure.Fields() {
		named, ok := types.Unalias(dereferenced(field.Type())).(*types.Named)
		if field.Embedded() && ok && named.Obj().Pkg() != nil && strings.HasPrefix(named.Obj().Pkg().Path(), "cairn/") {
			count += fields(named, seen)
			continue
		}
		count++
	}
	return count
}

func dereferenced(of types.Type) types.Type {
	if pointer, ok := of.(*types.Pointer); ok {
		return pointer.Elem()
	}
	return of
}
