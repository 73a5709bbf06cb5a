package jobs

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/rocrate"
)

// processRun is the profile of crates that describe executions: https://w3id.org/ro/wfrun/process/0.5, which extends RO-Crate 1.1.
const processRun = "https://w3id.org/ro/wfrun/process/0.5"

const notebookType = "application/x-ipynb+json"

// logName is the name of the log in crates.
const logName = "log.txt"

// crate is a job that has ended as a Process Run Crate: what it wrote, and how that came about.
type crate struct {
	result

	log           string
	page, product string // the catalog's address and name
	graph         rocrate.Graph
	parts         []rocrate.Node
}

// crate returns one of the caller's jobs that has begun and ended as a crate.
func (s *Service) crate(ctx context.Context, id string) (*crate, error) {
	found, err := s.result(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case found.job.live():
		return nil, fault.New(fault.NotFound, "This job hasn't ended yet. Its crate can be downloaded when it has.")
	case found.job.StartedAt == nil:
		return nil, fault.New(fault.NotFound, "This job ended before its notebook was executed, so there is nothing to download.")
	}
	log, err := s.Log(ctx, id)
	return &crate{result: found, log: log, page: s.PublicURL, product: s.Product()}, err
}

// zip writes the crate. Its description is last, because the digests of files are known once they have been written.
func (c *crate) zip(ctx context.Context, to io.Writer) error {
	wrote, err := c.written(ctx)
	if err != nil {
		return err
	}
	if where := c.job.where(); wrote.version != "" && !slices.ContainsFunc(wrote.files, func(one File) bool { return one.name == where }) {
		wrote.files = append(wrote.files, File{name: where}) // nothing in it has changed
	}
	archive, names := zip.NewWriter(to), zipNames{logName: true, rocrate.MetadataName: true}
	for _, one := range wrote.files {
		sum, name := sha256.New(), names.of(one.name)
		bytes, err := c.add(ctx, archive, wrote.version, one.name, name, sum)
		if err != nil {
			return err
		}
		c.describe(name, bytes, sum.Sum(nil))
	}
	if c.log != "" {
		file, err := c.create(archive, logName)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(file, c.log); err != nil {
			return err
		}
		sum := sha256.Sum256([]byte(c.log))
		c.describe(logName, int64(len(c.log)), sum[:])
	}
	text, err := json.MarshalIndent(c.document(), "", "  ")
	if err != nil {
		return err
	}
	file, err := c.create(archive, rocrate.MetadataName)
	if err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		return err
	}
	return archive.Close()
}

// create adds a file that is written here to the zip.
func (c *crate) create(archive *zip.Writer, name string) (io.Writer, error) {
	return archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: c.job.EndedAt.UTC()})
}

func (c *crate) describe(name string, bytes int64, sum []byte) {
	kind := cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream")
	if strings.HasSuffix(name, ".ipynb") {
		kind = notebookType
	}
	c.parts = append(c.parts, rocrate.Reference(c.graph.Add(rocrate.Node{
		"@id": (&url.URL{Path: name}).String(), "@type": "File", "name": name, "encodingFormat": kind, "contentSize": fmt.Sprint(bytes), "sha256": hex.EncodeToString(sum),
	})))
}

func (c *crate) document() map[string]any {
	job := c.job
	agent := c.graph.Add(rocrate.Node{"@id": c.page + "/", "@type": "Organization", "name": c.product, "url": c.page + "/"})
	kernel := c.graph.Add(rocrate.Node{"@id": "#jupyter", "@type": "SoftwareApplication", "name": "Jupyter", "url": "https://jupyter.org/"})
	said := cmp.Or(job.Reason, fmt.Sprintf("%d of %d cells ran.", job.Cells.Done, job.Cells.Total))
	action := rocrate.Node{
		"@id": "urn:uuid:" + job.ID, "@type": "CreateAction", "name": "Execution of " + job.File, "description": said,
		"startTime": job.StartedAt.UTC().Format(rocrate.TimeFormat), "endTime": job.EndedAt.UTC().Format(rocrate.TimeFormat),
		"actionStatus": "http://schema.org/CompletedActionStatus", "instrument": rocrate.Reference(kernel), "agent": rocrate.Reference(agent), "result": c.parts,
	}
	if job.State != Done {
		action["actionStatus"], action["error"] = "http://schema.org/FailedActionStatus", said
	}
	var given []rocrate.Node
	for _, name := range slices.Sorted(maps.Keys(job.Parameters)) {
		given = append(given, rocrate.Reference(c.graph.Add(rocrate.Node{
			"@id": "#parameter-" + url.PathEscape(name), "@type": "PropertyValue", "name": name, "value": string(job.Parameters[name]),
		})))
	}
	if len(given) > 0 {
		action["object"] = given
	}
	root := rocrate.Node{
		"@id": "./", "@type": "Dataset", "conformsTo": rocrate.Reference(processRun), "hasPart": c.parts,
		"name": job.Name + ", executed on " + job.EndedAt.UTC().Format(time.DateOnly), "description": said,
		"datePublished": job.EndedAt.UTC().Format(rocrate.TimeFormat), "publisher": rocrate.Reference(agent), "mentions": rocrate.Reference(c.graph.Add(action)),
		"license": rocrate.Reference(c.graph.License("")),
	}
	c.graph.Add(rocrate.Node{"@id": processRun, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"})
	return c.graph.Document([]string{"https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"}, "1.1", root)
}
