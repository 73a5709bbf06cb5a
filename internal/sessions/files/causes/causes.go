// Package causes says by which code a launch failed, of what its preparation met.
package causes

import (
	"errors"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/files/datasets"
	"cairn/internal/sessions/files/folders"
)

// CodeOf returns why a launch failed; "" if only its log may tell.
func CodeOf(err error) diagnosis.Code {
	_, told := errors.AsType[*fault.Fault](err)
	switch known := diagnosis.CodeOf(err); {
	case folders.IsFull(err):
		return diagnosis.DiskFull
	case len(Missing(err)) > 0:
		return diagnosis.DatasetMissing
	case fault.CodeOf(err) == fault.RefNotFound:
		return diagnosis.RefUnknown
	case known != "":
		return known
	case !told:
		return diagnosis.ServerFault
	}
	return ""
}

// Missing returns the ids of the datasets whose absence made a launch fail.
func Missing(err error) []string {
	if lacking, ok := errors.AsType[*datasets.MissingError](err); ok {
		return lacking.IDs
	}
	return nil
}
