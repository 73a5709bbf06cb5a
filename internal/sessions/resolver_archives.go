package sessions

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"

	"golang.org/x/sync/errgroup"
)

// Archives find what is behind DOIs.
type Archives interface {
	Find(ctx context.Context, doi string) (archives.Record, error)
}

// doiKey begins the keys of datasets with a DOI.
const doiKey = "doi:"

// recordTime limits how long a launch waits for an archive, which is a part of the time for all that a launch asks.
const recordTime = 7 * time.Second

// addRecords asks the archives which files datasets with a DOI consist of. It is done only when something is launched: entries that people only
// look at cost the archives nothing. A dataset whose archive doesn't answer is unavailable, unless the engine has kept it.
func (r *Resolver) addRecords(ctx context.Context, datasets []engine.Dataset) {
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	asking := errgroup.Group{}
	asking.SetLimit(recordsAtOnce)
	for i := range datasets {
		dataset := &datasets[i]
		doi, ok := strings.CutPrefix(dataset.Key, doiKey)
		if !ok || dataset.Unavailable != "" {
			continue
		}
		asking.Go(func() error {
			files, version, err := r.filesOf(ctx, doi)
			if err != nil {
				dataset.Unavailable = fmt.Sprintf("The dataset %q isn't available: %s", dataset.Name, fault.MessageOf(err))
				return nil
			}
			dataset.Files = files
			if version != "" { // the DOI has other files tomorrow
				dataset.Key += "@" + version
			}
			return nil
		})
	}
	_ = asking.Wait() // none fails
}

// recordsAtOnce is how many records a launch asks for at once.
const recordsAtOnce = 8

// filesOf returns the files of a record that everybody may fetch, and which version they are of if the DOI is that of all versions.
func (r *Resolver) filesOf(ctx context.Context, doi string) (files []engine.RemoteFile, version string, err error) {
	if r.Archives == nil {
		return nil, "", fault.New(fault.Unavailable, "This server looks up no DOIs.")
	}
	record, err := r.Archives.Find(ctx, doi)
	if ctx.Err() != nil {
		return nil, "", fault.Wrap(err, fault.Unavailable, "The archive with the DOI %s doesn't answer. Try again later.", doi)
	}
	if err != nil {
		return nil, "", err
	}
	for _, file := range record.Files {
		if file.URL != "" {
			files = append(files, engine.RemoteFile{Path: file.Path, URL: file.URL, Bytes: file.Size, Digest: file.Digest.String()})
		}
	}
	if len(files) > engine.MostFiles {
		return nil, "", fault.New(fault.TooLarge, "It has %d files at %s, and sessions get %d at most.", len(files), record.Archive, engine.MostFiles)
	}
	if record.Moves {
		version = cmp.Or(record.Version, record.Published)
	}
	return files, version, nil
}
