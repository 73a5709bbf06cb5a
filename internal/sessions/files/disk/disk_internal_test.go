package disk

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"cairn/internal/foundation/humanize"

	"golang.org/x/sys/unix"
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
		{10 * time.Minute, 150, true, "its files take 150 MiB, more than the 100 MiB allowed", false},
		{0, 201, true, "its files take 201 MiB, more than the 100 MiB allowed", true},
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
		if grown := disk.Grown(now).Bytes; grown != step.grown<<20 {
			t.Errorf("At %d MiB it has grown by %s", step.megabytes, humanize.Bytes(grown))
		}
	}
}

// growing is a session that notes why it is stopped.
type growing struct {
	id      string
	growth  Growth
	stopped string
}

func (g *growing) ID() string                   { return g.id }
func (g *growing) MeasureFiles(context.Context) {}
func (g *growing) Growth() Growth               { return g.growth }
func (g *growing) MakeRoom(_ context.Context, grown string) {
	g.stopped, g.growth = grown, Growth{}
}

// Who grew in what is short is stopped: files, folders and links as well as bytes.
func TestWhoTookWhatIsShortIsStopped(t *testing.T) {
	t.Parallel()
	const plenty = 1_000_000
	for name, test := range map[string]struct {
		freeBytes, freeFiles uint64
		stopped, cause       string
	}{
		"bytes":   {1 << 20, plenty, "large", "its files grew by 2 GiB"},
		"files":   {500 << 30, 10, "many", "the number of its files grew by 90000"},
		"both":    {1 << 20, 10, "many", "the number of its files grew by 90000"},
		"nothing": {500 << 30, plenty, "", ""},
	} {
		sessions := map[string]*growing{
			"large": {id: "large", growth: Growth{Bytes: 2 << 30, Files: 1}}, "many": {id: "many", growth: Growth{Bytes: 360 << 20, Files: 90_000}},
			"idle": {id: "idle", growth: Growth{Bytes: 100, Files: 3}},
		}
		guard := NewGuard(Options{
			Folders: []string{"disk"}, Logger: slog.New(slog.DiscardHandler),
			Statfs: func(_ string, about *unix.Statfs_t) error {
				*about = unix.Statfs_t{Bsize: 4096, Blocks: 1 << 30 >> 2, Bavail: test.freeBytes / 4096, Files: 2 * plenty, Ffree: test.freeFiles}
				return nil
			},
			Sessions: func() []Session { return []Session{sessions["large"], sessions["many"], sessions["idle"]} },
		})
		guard.Check(t.Context())
		for id, one := range sessions {
			if (one.stopped != "") != (id == test.stopped) || id == test.stopped && one.stopped != test.cause {
				t.Errorf("%s are short: %s is stopped because %q", name, id, one.stopped)
			}
		}
	}
}
