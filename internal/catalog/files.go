package catalog

import (
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"cairn/internal/codehost"
	"cairn/internal/fault"
)

// previewBytes is how large a text may be that is shown in the page.
const previewBytes = 1_000_000

// LookInto makes the service show what is in repositories; without it they have no files.
func (s *Service) LookInto(hosts *codehost.Hosts) { s.hosts = hosts }

// repository gives the repository of an entry that the caller may see.
func (s *Service) repository(ctx context.Context, id string) (codehost.Repository, error) {
	resource, err := s.Get(ctx, id)
	if err != nil {
		return codehost.Repository{}, err
	}
	return s.repositoryOf(resource)
}

func (s *Service) repositoryOf(resource Resource) (codehost.Repository, error) {
	if resource.Type != Repository {
		return codehost.Repository{}, fault.New(fault.NotFound, "Only repositories have files.")
	}
	repository, err := codehost.Parse(resource.RepositoryURL)
	if err != nil || s.hosts == nil || !s.hosts.Knows(repository) {
		return codehost.Repository{}, fault.New(fault.NotFound, "This server cannot look into repositories of %s.", hostName(resource.RepositoryURL))
	}
	return repository, nil
}

func hostName(address string) string {
	if parsed, err := url.Parse(address); err == nil {
		return parsed.Hostname()
	}
	return "this kind"
}

// Files lists a folder of an entry's repository; "" is the root.
func (s *Service) Files(ctx context.Context, id, path string) (codehost.Listing, error) {
	repository, err := s.repository(ctx, id)
	if err != nil {
		return codehost.Listing{}, err
	}
	return s.hosts.List(ctx, repository, path)
}

// TextFile reads a text of an entry's repository. TooLarge above a million bytes, Invalid when it is no text.
func (s *Service) TextFile(ctx context.Context, id, path string) (codehost.File, error) {
	repository, err := s.repository(ctx, id)
	if err != nil {
		return codehost.File{}, err
	}
	file, err := s.hosts.File(ctx, repository, path, previewBytes)
	if fault.KindOf(err) == fault.TooLarge {
		return file, fault.New(fault.TooLarge, "This file is too large to be shown here: 1 MB may be.")
	}
	if err == nil && (!utf8.Valid(file.Content) || strings.ContainsRune(string(file.Content), 0)) {
		return file, fault.New(fault.Invalid, "This file is no text, so it cannot be shown here.")
	}
	return file, err
}

// citationFile is where repositories say how they want to be cited (Citation File Format).
const citationFile = "CITATION.cff"

// Citation reads how an entry's repository wants to be cited. Nil when it does not say, when what it says cannot be
// read, and when its host does not answer: then the citation of the entry itself does.
func (s *Service) Citation(ctx context.Context, id string) (*CitationItem, error) {
	resource, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	var file codehost.File
	repository, err := s.repositoryOf(resource)
	if err == nil {
		file, err = s.hosts.File(ctx, repository, citationFile, citationBytes)
	}
	if err != nil {
		return nil, ctx.Err()
	}
	return parseCitation(file.Content), nil
}
