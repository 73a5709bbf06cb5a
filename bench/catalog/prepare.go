package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/program"
	"cairn/bench/report"
)

// imported is what an import took. It is stored beside the data, for runs that reuse the import.
type imported struct {
	Took    time.Duration `json:"took"`
	Date    time.Time     `json:"date"`
	Version string        `json:"version"`
}

// prepare generates and imports the entries, unless an earlier run did. Incomplete results are never found: they get
// their name when they are complete.
func (b *bench) prepare(ctx context.Context) (err error) {
	parameters := corpus.Default(b.options.entries)
	parameters.Seed = b.seed
	b.entries = corpus.New(parameters)
	b.cache = filepath.Join(b.folder, b.entries.Digest())
	schema, err := schemaDigest()
	if err != nil {
		return err
	}
	b.data = filepath.Join(b.cache, "data-"+schema)
	if b.found.version, err = (program.Program{Binary: b.binary}).Version(ctx); err != nil {
		return err
	}
	note := filepath.Join(b.data, "import.json")
	if text, err := os.ReadFile(note); err == nil && !b.fresh {
		b.say("%s entries were imported by an earlier run (--fresh imports them again)", report.Whole(b.options.entries))
		return json.Unmarshal(text, &b.found.imported)
	}

	b.say("Generating %s entries", report.Whole(b.options.entries))
	file := filepath.Join(b.scratch, "entries.jsonl")
	if err := b.generate(ctx, file); err != nil {
		return err
	}
	b.say("Importing them")
	unfinished := program.Program{Binary: b.binary, Data: filepath.Join(b.scratch, "import")}
	took, err := unfinished.Import(ctx, file)
	if err != nil {
		return err
	}
	b.say("Imported in %s", report.Seconds(took))
	b.found.imported = imported{Took: took, Date: time.Now().UTC(), Version: b.found.version}
	text, err := json.Marshal(b.found.imported)
	if err != nil {
		return err
	}
	older, err := filepath.Glob(filepath.Join(b.cache, "data-*"))
	for _, folder := range older {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	return errors.Join(err, os.Remove(file), os.MkdirAll(b.cache, 0o700),
		os.WriteFile(filepath.Join(unfinished.Data, filepath.Base(note)), text, 0o600), os.Rename(unfinished.Data, b.data))
}

func (b *bench) generate(ctx context.Context, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(b.entries.Write(ctx, file), file.Close())
}

// schemaDigest changes with the tables: a database with older ones can't be used.
func schemaDigest() (string, error) {
	hash := sha256.New()
	if err := fs.WalkDir(os.DirFS("internal/foundation/sqldb/migrations"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join("internal/foundation/sqldb/migrations", path))
		_, _ = hash.Write(text)
		return err
	}); err != nil {
		return "", fmt.Errorf("run this in the root of the repository: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)[:4]), nil
}
