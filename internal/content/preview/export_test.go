package preview

// Settle waits until the fetches that are under way have ended, with all that is remembered of them.
func (h *HeaderImages) Settle() {
	for range cap(h.files.slots) {
		h.files.slots <- struct{}{}
	}
	for range cap(h.files.slots) {
		<-h.files.slots
	}
}
