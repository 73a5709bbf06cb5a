// Command vet contains our own checks, which `make lint` runs as go vet -vettool.
package main

import (
	"cairn/tools/prose"
	"cairn/tools/typesize"

	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() { unitchecker.Main(prose.Analyzer, typesize.Analyzer) }
