package runs

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"cairn/internal/content/cite"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/foundation/rocrate"
)

// crateFiles are the files of a run that its crate holds, in their order.
var crateFiles = []string{authorName, executedName, comparisonName, logName}

const notebookType = "application/x-ipynb+json"

// processRun is the profile of crates that describe executions: https://w3id.org/ro/wfrun/process/0.5, which extends
// RO-Crate 1.1.
const processRun = "https://w3id.org/ro/wfrun/process/0.5"

// Crate is a run as a Process Run Crate. It must be closed.
type Crate struct {
	run     Run
	entry   catalog.Resource
	catalog string // the address of the catalog
	product string
	files   map[string]crateFile // that the run left, by name
	kernel  executedBy
	graph   rocrate.Graph
}

// crateFile is a file that a run left, open.
type crateFile struct {
	*os.File

	bytes  int64
	sha256 string // in hexadecimal digits
}

// executedBy is what an executed notebook says of its kernel. Its fields may be empty.
type executedBy struct {
	Metadata struct {
		Kernel struct {
			Name string `json:"display_name"`
		} `json:"kernelspec"`
		Language struct {
			Version string `json:"version"`
		} `json:"language_info"`
	} `json:"metadata"`
}

// Crate returns a run that has begun and ended as a Process Run Crate, for an entry that the caller sees: the files that it left,
// and how they came about. Its bytes are the same as long as nothing of these changes. NotFound if it hasn't begun or not
// ended.
func (s *Service) Crate(ctx context.Context, entryID, id string) (*Crate, error) {
	entry, err := s.entries.Get(ctx, entryID)
	if err != nil {
		return nil, err
	}
	run, err := s.store.ByID(ctx, entry.ID, id)
	switch {
	case err != nil:
		return nil, err
	case run.live():
		return nil, fault.New(fault.NotFound, "This run hasn't ended yet. Its crate can be downloaded when it has.")
	case run.StartedAt == nil:
		return nil, fault.New(fault.NotFound, "This run was stopped before it began, so there is nothing to download.")
	}
	made := &Crate{run: run, entry: entry, catalog: s.PublicURL, product: s.Product(), files: map[string]crateFile{}}
	select { // reading notebooks takes memory, and whoever asks may be many
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for _, name := range crateFiles {
		if err := made.open(ctx, s, name); err != nil && fault.KindOf(err) != fault.NotFound {
			made.Close()
			return nil, err
		}
	}
	return made, nil
}

// Citation returns how to cite the crate of a run of an entry that the caller sees. The crate's address is a path of this
// server.
func (s *Service) Citation(ctx context.Context, entryID, id, address string) (RunCitation, error) {
	answer, err := s.entries.Get(ctx, entryID)
	if err != nil {
		return RunCitation{}, err
	}
	entry := *answer.Entry()
	run, err := s.store.ByID(ctx, entry.ID, id)
	if err != nil {
		return RunCitation{}, err
	}
	at := run.QueuedAt
	for _, later := range []*time.Time{run.StartedAt, run.EndedAt} {
		if later != nil {
			at = *later
		}
	}
	by := cite.Catalog{Publisher: s.Publisher, Public: s.PublicURL}
	item := by.Run(entry, run.File, run.Commit, at, address)
	return RunCitation{Texts: item.Texts(), NamesGuessed: cite.AreNamesGuessed(entry)}, nil
}

// open adds a file that the run left; NotFound if there is none.
func (c *Crate) open(ctx context.Context, s *Service, name string) error {
	file, err := s.artifact(c.run.ID, name)
	if err != nil {
		return err
	}
	sum := sha256.New()
	length, err := io.Copy(sum, filetree.Reader(ctx, file))
	c.files[name] = crateFile{file, length, hex.EncodeToString(sum.Sum(nil))}
	if err == nil && name == executedName {
		_ = json.NewDecoder(io.NewSectionReader(file, 0, length)).Decode(&c.kernel) // without one, it is what the environment has
	}
	return err
}

// Close closes the files.
func (c *Crate) Close() {
	for _, file := range c.files {
		_ = file.Close()
	}
}

// Zip writes the crate as a zip without compression, which would take more of this server than sending does.
func (c *Crate) Zip(to io.Writer) error {
	description, err := json.MarshalIndent(c.describe(), "", "  ")
	if err != nil {
		return err
	}
	archive := zip.NewWriter(to)
	add := func(name string, content io.Reader) error {
		file, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: c.run.ended().UTC()})
		if err == nil {
			_, err = io.Copy(file, content)
		}
		return err
	}
	if err := add(rocrate.MetadataName, bytes.NewReader(description)); err != nil {
		return err
	}
	for _, name := range crateFiles {
		if file, kept := c.files[name]; kept {
			if err := add(name, io.NewSectionReader(file, 0, file.bytes)); err != nil {
				return err
			}
		}
	}
	return archive.Close()
}

func (c *Crate) describe() map[string]any {
	action := c.action()
	root := rocrate.Node{
		"@id": "./", "@type": "Dataset", "conformsTo": rocrate.Reference(processRun),
		"name":        fmt.Sprintf("Run of %s on %s", c.named(), c.run.ended().UTC().Format(time.DateOnly)),
		"description": c.verdict(), "datePublished": c.run.ended().UTC().Format(rocrate.TimeFormat),
		"license": rocrate.Reference(c.graph.License(c.entry.License)), "publisher": rocrate.Reference(c.agent()), "mentions": rocrate.Reference(action), "isBasedOn": rocrate.Reference(c.page()),
	}
	if authors := c.authors(); len(authors) > 0 {
		root["author"] = authors
	}
	var parts []rocrate.Node
	for _, name := range crateFiles {
		if _, kept := c.files[name]; kept {
			parts = append(parts, rocrate.Reference(name))
		}
	}
	if len(parts) > 0 {
		root["hasPart"] = parts
	}
	c.graph.Add(rocrate.Node{"@id": processRun, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"})
	return c.graph.Document([]string{"https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"}, "1.1", root)
}
