// Package contribute adds entries to the catalog and changes them: those of repositories by the descriptor file in each,
// which contribute.go and descriptor.go read, all others by what people write into a form, which edit.go checks.
package contribute
