package progress

// The bounds that tests try.
const (
	MessageLimit = messageLimit
	RequestsKept = requestsKept
	CellsLimit   = cellsLimit
)

// Held returns how many bytes of messages a tap has memory for, and how many requests it knows.
func (t *Tap) Held() (bytes, requests int) {
	t.executions.mu.Lock()
	defer t.executions.mu.Unlock()
	return cap(t.page.message) + cap(t.kernel.message), len(t.executions.requests)
}

// Broken reports whether a tap has gone silent.
func (t *Tap) Broken() bool { return t.broken }
