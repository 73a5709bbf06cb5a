package engine

import (
	"context"
	"strings"
)

// Kernel is a kernel that a notebook in a session can have, as its kernelspec describes it.
type Kernel struct {
	Name     string // of the kernelspec, such as "ir"
	Language string // such as "R"
	Label    string // for people, such as "R 4.2"
}

// Python is the kernel that every session has.
var Python = Kernel{Name: "python3", Language: "python", Label: "Python 3"}

// KernelLister is an engine that knows which kernels its sessions have. Those of an engine that is none have Python's alone, as
// far as anybody knows.
type KernelLister interface {
	Engine

	// Kernels returns the kernels of sessions that start now, Python's among them, without starting any. What a session installs
	// for itself doesn't count.
	Kernels(ctx context.Context) []Kernel
}

// SameLanguage reports whether two names mean the same programming language: kernels and notebooks don't agree on capitals.
func SameLanguage(one, other string) bool { return strings.EqualFold(one, other) }
