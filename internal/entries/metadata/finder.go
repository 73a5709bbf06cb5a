package metadata

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
)

// Finder asks the sources.
type Finder struct {
	Hosts    *codehost.Hosts
	DataCite *codehost.DataCite // nil: it isn't asked
}

// Work is what is known of a work: its repository, if this server can read it, and its DOI. Both may be empty.
type Work struct {
	Repository codehost.Repository
	DOI        string
}

const (
	// findTime is how long sources may take together. A form, or the pull of a descriptor, waits for them.
	findTime = 5 * time.Second
	// fileLimit is the size of the largest file that is read, in bytes.
	fileLimit = codehost.DescriptorLimit
)

// Find asks everybody who may know the work. A source that has nothing, or nonsense, says nothing.
func (f *Finder) Find(ctx context.Context, work Work) Found {
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	var answers []answer
	if f.Hosts.Knows(work.Repository) {
		answers = f.inRepository(ctx, work.Repository)
	}
	doi := work.DOI
	if doi == "" {
		doi = merge(answers).DOI
	}
	if f.DataCite != nil && doi != "" {
		content, err := f.DataCite.DOI(ctx, doi)
		answers = append(answers, answerOf(sourceDataCite, content, err, func(content []byte) SourceMetadata {
			meta := readDataCite(content)
			if !strings.EqualFold(meta.DOI, doi) { // about something else
				return SourceMetadata{}
			}
			return meta
		}))
	}
	return merge(answers)
}

// inRepository asks the files of a repository and its code host, all at once.
func (f *Finder) inRepository(ctx context.Context, repository codehost.Repository) []answer {
	files := []struct {
		path string
		read func([]byte) SourceMetadata
	}{{sourceCitation, readCitation}, {sourceCodeMeta, readCodeMeta}, {sourceZenodo, readZenodo}}
	answers := make([]answer, len(files)+1)
	var asking sync.WaitGroup
	for i, one := range files {
		asking.Go(func() {
			file, err := f.Hosts.File(ctx, repository, one.path, fileLimit)
			answers[i] = answerOf(one.path, file.Content, err, one.read)
		})
	}
	asking.Go(func() {
		about, err := f.Hosts.About(ctx, repository)
		answers[len(files)] = answerOf(repository.Host, nil, err, func([]byte) SourceMetadata {
			return SourceMetadata{Description: about.Description, License: about.License, Tags: about.Topics}
		})
	})
	asking.Wait()
	return answers
}

// answerOf reads what a source sent. What isn't there, or is too large, says nothing.
func answerOf(source string, content []byte, err error, read func([]byte) SourceMetadata) answer {
	switch kind := fault.KindOf(err); {
	case err == nil:
		return answer{source: source, metadata: read(content)}
	case kind == fault.NotFound, kind == fault.TooLarge:
		return answer{source: source}
	}
	return answer{source: source, failed: true}
}

var zenodoRecord = regexp.MustCompile(`^/records?/(\d+)(?:/|$)`)

// WorkAt returns the work at an address: a file of a repository, a repository, or a record with a DOI. doi is its DOI if that
// is known already.
func WorkAt(address, doi string) Work {
	work := Work{DOI: catalog.ParseDOI(doi)}
	if repository, _, ok := codehost.ParseFile(address); ok {
		work.Repository = repository
	} else if repository, err := codehost.Parse(address); err == nil && !strings.Contains(repository.Owner, "/") {
		work.Repository = repository
	}
	if work.DOI != "" {
		return work
	}
	if work.DOI = catalog.ParseDOI(address); work.DOI == "" {
		if parsed, err := url.Parse(address); err == nil && strings.EqualFold(parsed.Hostname(), "zenodo.org") {
			if record := zenodoRecord.FindStringSubmatch(parsed.Path); record != nil {
				work.DOI = "10.5281/zenodo." + record[1]
			}
		}
	}
	return work
}
