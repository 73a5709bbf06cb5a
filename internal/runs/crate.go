package runs

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cairn/internal/content/cite"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/rocrate"
)

// crateFiles are the files of a run that its crate holds, in their order.
var crateFiles = []string{authorName, executedName, comparisonName, logName}

const notebookType = "application/x-ipynb+json"

// processRun is the profile of crates that describe executions: https://w3id.org/ro/wfrun/process/0.5, which extends
// RO-Crate 1.1.
const processRun = "https://w3id.org/ro/wfrun/process/0.5"

// crate is a run as a Process Run Crate while it is made.
type crate struct {
	run     Run
	entry   catalog.Resource
	catalog string // the address of the catalog
	product string
	files   map[string][]byte // that the run left, by name
	graph   rocrate.Graph
}

// Crate returns a run that has begun and ended as a Process Run Crate in a zip, for an entry that the caller sees: the files
// that it left, and how they came about. The bytes are the same as long as nothing of these changes. NotFound if it hasn't
// begun or not ended.
func (s *Service) Crate(ctx context.Context, entryID, id string) ([]byte, error) {
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
	made := crate{run: run, entry: entry, catalog: s.PublicURL, product: s.Product(), files: map[string][]byte{}}
	for _, name := range crateFiles {
		content, err := s.artifact(run.ID, name)
		switch {
		case err == nil:
			made.files[name] = content
		case fault.KindOf(err) != fault.NotFound:
			return nil, err
		}
	}
	return made.zip()
}

// Citation returns how to cite the crate of a run of an entry that the caller sees.
func (s *Service) Citation(ctx context.Context, entryID, id string) (RunCitation, error) {
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
	item := by.Run(entry, run.File, run.Commit, at, httpapi.Base+"/resources/public/"+entry.ID+"/runs/"+run.ID+"/crate.zip")
	return RunCitation{Texts: item.Texts(), NamesGuessed: cite.AreNamesGuessed(entry)}, nil
}

func (c *crate) zip() ([]byte, error) {
	description, err := json.MarshalIndent(c.describe(), "", "  ")
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	add := func(name string, content []byte) error {
		file, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: c.run.ended().UTC()})
		if err == nil {
			_, err = file.Write(content)
		}
		return err
	}
	if err := add(rocrate.MetadataName, description); err != nil {
		return nil, err
	}
	for _, name := range crateFiles {
		if content, kept := c.files[name]; kept {
			if err := add(name, content); err != nil {
				return nil, err
			}
		}
	}
	err = archive.Close()
	return packed.Bytes(), err
}

func (c *crate) describe() map[string]any {
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
		if c.files[name] != nil {
			parts = append(parts, rocrate.Reference(name))
		}
	}
	if len(parts) > 0 {
		root["hasPart"] = parts
	}
	c.graph.Add(rocrate.Node{"@id": processRun, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"})
	return c.graph.Document([]string{"https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"}, "1.1", root)
}
