// Package enginetest is the conformance suite of session engines: it tests every sentence of the contract in
// engine.Engine against any engine. What only one engine promises, its isolation for one, is tested beside that engine.
package enginetest
