package apptest

import "cairn/internal/foundation/fault"

// Another file of a package for tests.
func Same(a, b *fault.Fault) bool { return a.Message == b.Message }
