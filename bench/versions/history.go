package versions

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"cairn/bench/report"
)

// history is what the history of notebooks and tables takes with Cairn, restic and borg, and in daily zips.
type history struct {
	stored   [3]int64
	save     [3]time.Duration
	zips     int64
	versions [2]string // of restic and borg
}

const (
	notebooks = 4
	pictures  = 7
	scripts   = 100
)

// author is somebody whose folder changes.
type author struct {
	folder  string
	from    *rand.Rand
	cells   [notebooks][]string
	outputs [notebooks][pictures]string
}

func newAuthor(folder string) *author {
	return &author{folder: folder, from: rand.New(rand.NewPCG(17, 1))}
}

func (a *author) noise(length int) []byte {
	text := make([]byte, length)
	for i := range text {
		text[i] = byte(a.from.Uint32())
	}
	return text
}

// begin writes the first state.
func (a *author) begin() error {
	if err := os.MkdirAll(a.folder, 0o755); err != nil {
		return err
	}
	for i := range notebooks {
		for cell := range 30 {
			a.cells[i] = append(a.cells[i], fmt.Sprintf("value_%d = measure(%d, %f)\nplot(value_%d)\n", cell, cell, a.from.Float64(), cell))
		}
		for picture := range pictures {
			a.outputs[i][picture] = base64.StdEncoding.EncodeToString(a.noise(45_000))
		}
		if err := a.writeNotebook(i); err != nil {
			return err
		}
	}
	for i := range scripts {
		if err := os.WriteFile(filepath.Join(a.folder, fmt.Sprintf("module_%d.py", i)), a.lines(40), 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(a.folder, "volume.nii.gz"), a.noise(2<<20), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.folder, "spikes.csv"), a.lines(100_000), 0o644)
}

func (a *author) lines(count int) []byte {
	var text []byte
	for i := range count {
		text = fmt.Appendf(text, "%d,%d,%.6f,%.3f\n", i, a.from.IntN(512), a.from.Float64(), a.from.NormFloat64())
	}
	return text
}

func (a *author) writeNotebook(i int) error {
	type object = map[string]any
	var cells []object
	for at, source := range a.cells[i] {
		one := object{"cell_type": "code", "source": []string{source}, "outputs": []object{}}
		if at%4 == 0 && at/4 < pictures {
			one["outputs"] = []object{{"data": object{"image/png": a.outputs[i][at/4]}}}
		}
		cells = append(cells, one)
	}
	text, err := json.MarshalIndent(object{"cells": cells, "nbformat": 4}, "", " ")
	if err != nil {
		return err
	}
	name := filepath.Join(a.folder, fmt.Sprintf("analysis_%d.ipynb", i))
	if err := os.WriteFile(name+"~", text, 0o644); err != nil {
		return err
	}
	return os.Rename(name+"~", name)
}

// step is what happens between two saves.
func (a *author) step(number int) error {
	i := number % notebooks
	at := a.from.IntN(len(a.cells[i]))
	a.cells[i][at] += fmt.Sprintf("# %f\n", a.from.Float64())
	if number%3 == 0 {
		a.outputs[i][a.from.IntN(pictures)] = base64.StdEncoding.EncodeToString(a.noise(45_000))
	}
	table, err := os.OpenFile(filepath.Join(a.folder, "spikes.csv"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := table.Write(a.lines(5)); err != nil {
		return err
	}
	if err := table.Close(); err != nil {
		return err
	}
	return a.writeNotebook(i)
}

func (b *bench) runHistory(ctx context.Context) error {
	b.crowd.load = loadNow()
	folder := b.path("history")
	one := newAuthor(folder)
	if err := one.begin(); err != nil {
		return err
	}
	savers := b.savers("history", folder)
	times := make([][]time.Duration, len(savers))
	for _, program := range savers {
		if err := program.prepare(ctx); err != nil {
			return err
		}
	}
	for number := range days * saves {
		if number > 0 {
			if err := one.step(number); err != nil {
				return err
			}
		}
		for i, program := range savers {
			took, err := timed(func() error { return program.save(ctx) })
			if err != nil {
				return err
			}
			times[i] = append(times[i], took)
		}
		if number%saves == saves-1 {
			var content bytes.Buffer
			archive := zip.NewWriter(&content)
			if err := errors.Join(archive.AddFS(os.DirFS(folder)), archive.Close()); err != nil {
				return err
			}
			b.history.zips += int64(content.Len())
		}
	}
	for i, program := range savers {
		b.history.save[i] = report.Quantile(times[i], 0.5)
		var err error
		b.history.stored[i], err = program.stored()
		if err := errors.Join(err, program.close()); err != nil {
			return err
		}
	}
	var err error
	if b.history.versions[0], err = restic("", "").run(ctx, "", "version"); err == nil {
		b.history.versions[1], err = borg("", "").run(ctx, "", "--version")
	}
	return err
}
