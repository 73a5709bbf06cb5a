package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGarbageGetsRoomBySize(t *testing.T) {
	for used, percent := range map[uint64]int{0: 1000, 1 << 20: 1000, 32 << 20: 200, 64 << 20: 100, 850 << 20: 30, 4 << 40: 30} {
		if got := garbagePercent(used); got != percent {
			t.Errorf("%d bytes in use: %d %%, want %d", used, got, percent)
		}
	}
}

func TestGarbageIsTunedAfterCollections(t *testing.T) {
	before := debug.SetGCPercent(leastGarbagePercent)
	defer debug.SetGCPercent(before)
	tuneGarbage()
	current := func() int {
		percent := debug.SetGCPercent(leastGarbagePercent)
		debug.SetGCPercent(percent)
		return percent
	}
	for deadline := time.Now().Add(10 * time.Second); current() == leastGarbagePercent; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatal("a small heap kept the setting of a large one")
		}
	}
}
