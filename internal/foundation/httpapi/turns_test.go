package httpapi_test

import (
	"context"
	"testing"

	"cairn/internal/foundation/httpapi"
)

func TestEachKeyHasOneTurn(t *testing.T) {
	t.Parallel()
	var turns httpapi.Turns
	first, ok := turns.Take(t.Context(), "ann")
	if !ok {
		t.Fatal("nobody has it")
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := turns.Take(over, "ann"); ok {
		t.Error("two have it")
	}
	other, ok := turns.Take(over, "bob")
	if !ok {
		t.Error("another key waits")
	}
	next := make(chan func())
	go func() {
		done, _ := turns.Take(t.Context(), "ann")
		next <- done
	}()
	first()
	(<-next)()
	other()
}
