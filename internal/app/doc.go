// Package app is the composition root: it reads the configuration, opens what the slices need, puts them together
// (wiring.go, engines.go), serves them, and closes everything again. Rules live in the slices.
package app
