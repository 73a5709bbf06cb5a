// Package app connects everything for the server: it opens what the features need, puts them together (wiring.go, features.go),
// serves them, and closes everything again. Rules live in the features. Beside it are config, which reads the configuration;
// installation, which opens what is on this machine; doctor, transfer and commands, which are for operators.
package app
