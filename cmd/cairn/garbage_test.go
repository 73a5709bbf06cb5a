package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGarbageIsTunedAfterCollections(t *testing.T) {
	before := debug.SetGCPercent(30)
	defer debug.SetGCPercent(before)
	tuneGarbage(new(collected))
	await := func(heap string, fits func(percent int) bool) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); ; {
			runtime.GC()
			percent := debug.SetGCPercent(30)
			debug.SetGCPercent(percent)
			if fits(percent) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s heap has GOGC=%d", heap, percent)
			}
		}
	}
	await("a small", func(percent int) bool { return percent > 30 })
	large := make([]byte, 256<<20) // its pages are never touched
	await("a large", func(percent int) bool { return percent == 30 })
	runtime.KeepAlive(large)
	await("a small", func(percent int) bool { return percent > 30 })
}
