package disk

import (
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

func TestReserve(t *testing.T) {
	t.Parallel()
	const disk = 1 << 40
	for _, test := range []struct {
		reserve Reserve
		total   uint64
		want    uint64
	}{
		{Reserve{}, 20 << 30, 1 << 30}, {Reserve{}, disk, 5 << 30}, {Reserve{Part: 0.25}, disk, disk / 4}, {Reserve{Bytes: 7}, disk, 7},
	} {
		if got := test.reserve.of(test.total); got != test.want {
			t.Errorf("%+v of %d is %d, not %d", test.reserve, test.total, got, test.want)
		}
	}
}

func TestSoftAndHardLimit(t *testing.T) {
	t.Parallel()
	limits := Limits{Bytes: 100 << 20, Files: 200_000, Grace: 10 * time.Minute}
	var disk State
	now := time.Now()
	for _, step := range []struct {
		after     time.Duration
		megabytes int64
		warns     bool
		ends      string
		hard      bool
	}{
		{0, 100, false, "", false},
		{time.Minute, 101, true, "", false},
		{9 * time.Minute, 200, true, "", false},
		{0, 90, false, "", false},
		{5 * time.Minute, 150, true, "", false},
		{10 * time.Minute, 150, true, "its files take 150.0 MB, more than the 100.0 MB allowed", false},
		{0, 201, true, "its files take 201.0 MB, more than the 100.0 MB allowed", true},
	} {
		now = now.Add(step.after)
		over := disk.Note(Usage{Bytes: step.megabytes << 20}, nil, limits, now)
		if (disk.Warning() != "") != step.warns || (over != nil) != (step.ends != "") || (over != nil && *over != Excess{step.ends, step.hard}) {
			t.Errorf("%d MiB: warning %q, %+v", step.megabytes, disk.Warning(), over)
		}
	}
}

func TestGrowthIsOfTheLastTenMinutes(t *testing.T) {
	t.Parallel()
	limits := Limits{Bytes: 10 << 30, Files: 200_000, Grace: 10 * time.Minute}
	var disk State
	now := time.Now()
	for _, step := range []struct {
		after     time.Duration
		megabytes int64
		grown     int64
	}{{0, 500, 0}, {time.Minute, 700, 200}, {9 * time.Minute, 700, 200}, {time.Minute, 700, 0}, {time.Minute, 100, 0}, {time.Minute, 300, 200}} {
		now = now.Add(step.after)
		disk.Note(Usage{Bytes: step.megabytes << 20}, nil, limits, now)
		if grown := disk.Grown(now); grown != step.grown<<20 {
			t.Errorf("At %d MiB it has grown by %s", step.megabytes, engine.Size(grown))
		}
	}
}
