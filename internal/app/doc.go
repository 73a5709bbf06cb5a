// Package app connects everything for the server: it opens what the features need, puts them together (wiring.go, features.go),
// serves them, and closes everything again. Rules live in the features. Below it, config reads the configuration, installation
// opens what is on this machine, serving answers until the end, and doctor, transfer and commands are for operators.
package app
