// Package requirements reads what a repository asks for. The files of a repository are hostile: nothing of them reaches
// a package manager but what was parsed.
package requirements
