// Package contribute adds and changes entries: those of repositories from their descriptor files (contribute.go and
// descriptor.go), all others from what people write into a form (edit.go).
package contribute
