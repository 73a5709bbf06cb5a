package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/files/folders"
)

// The pace at which the agent looks at what a pod does.
const (
	podLook    = 300 * time.Millisecond // at what it says
	podMeasure = 2 * time.Second        // at what it writes
)

// follow tells how the installation goes, and returns how its container ended; an error if it takes too long or too much.
func (e *podEnvironment) follow(ctx context.Context, ended <-chan int) (status int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sizes := make(chan podSize)
	go e.measure(ctx, sizes)
	told := int64(0)
	limit, begun := time.Duration(e.asked.Seconds)*time.Second, time.Time{}
	ticks := time.NewTicker(podLook)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case status := <-ended:
			return status, nil
		case size := <-sizes:
			if size.err != nil {
				return 0, size.err
			}
			if size.used>>20 > told {
				told = size.used >> 20
				e.tell(engine.Active, fmt.Sprintf("%s · %d MB", cmp.Or(e.said.Detail, "Installing"), told))
			}
		case <-ticks.C:
		}
		if there, _ := e.hear(); there && begun.IsZero() {
			begun = time.Now() // it was Kubernetes's turn before
		}
		if !begun.IsZero() && time.Since(begun) >= limit {
			return 0, environments.Slow(limit)
		}
	}
}

// podSize is how much was installed, and why that ends the installation.
type podSize struct {
	used int64
	err  error
}

// measure tells again and again how much was installed.
func (e *podEnvironment) measure(ctx context.Context, sizes chan<- podSize) {
	for {
		used, err := environments.Measure(e.kept, cmp.Or(e.asked.Disk, math.MaxInt64))
		select {
		case sizes <- podSize{used, err}:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(podMeasure):
		case <-ctx.Done():
			return
		}
	}
}

// What is read of what a container says.
const (
	podPart = 256 << 10 // bytes at a time
	podLine = 64 << 10  // bytes of a line
	podLast = 64 << 20  // bytes at its end
)

// hear takes what the container has said since. It returns whether there is a file of it, and how much it was.
func (e *podEnvironment) hear() (there bool, heard int) {
	file, err := os.OpenFile(filepath.Join(e.part("said"), podSaidName), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist), 0 // it hasn't begun, or put something else there
	}
	defer file.Close()
	if about, err := file.Stat(); err != nil || !about.Mode().IsRegular() {
		return true, 0
	}
	part := make([]byte, podPart)
	heard, err = file.ReadAt(part, e.heard)
	if err != nil && !errors.Is(err, io.EOF) {
		return true, 0
	}
	e.heard += int64(heard)
	lines := bytes.Split(append(e.rest, part[:heard]...), []byte("\n"))
	for _, line := range lines[:len(lines)-1] {
		e.understand(line)
	}
	last := lines[len(lines)-1]
	e.rest = bytes.Clone(last[max(0, len(last)-podLine):])
	return true, heard
}

// understand takes one line.
func (e *podEnvironment) understand(line []byte) {
	var news podNews
	if json.Unmarshal(line, &news) != nil {
		news = podNews{Log: strings.ToValidUTF8(string(line), "?")}
	}
	if news.Detail != "" {
		e.said.Detail = engine.Shorten(news.Detail, 120)
		e.tell(engine.Active, e.said.Detail)
	}
	if news.Log != "" {
		e.lines.tell(agentapi.Event{Log: engine.Shorten(news.Log, 1_000)})
	}
	if news.Left != nil {
		e.said.Left = engine.ShortLeftOut(news.Left)
	}
	if news.Failed != "" {
		e.said.Failed, e.said.Code = engine.Shorten(news.Failed, 500), diagnosis.Code(engine.Shorten(string(news.Code), 50))
	}
	if news.Done != nil {
		e.said.Done = news.Done
	}
}

// settle takes the environment over once its container has ended.
func (e *podEnvironment) settle(status int) error {
	for before := e.heard; e.heard-before < podLast; {
		if _, heard := e.hear(); heard == 0 {
			break
		}
	}
	if status != 0 || e.said.Done == nil {
		reason := cmp.Or(e.said.Failed, "The installation of this repository's packages was ended. It may need more memory than a session has.")
		return diagnosis.With(fault.New(fault.Unavailable, "%s", reason), e.said.Code)
	}
	left, err := json.Marshal(e.said.Left)
	if err != nil {
		return err
	}
	return folders.WriteFile(e.part(leftName), left)
}
