package jobs

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"cairn/internal/content/comparator"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine"
)

// File is a file that a job wrote.
type File struct {
	Path     string    `json:"path" doc:"In the session, with bytes that can't be shown escaped"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`

	name string // its path in bytes
}

// FilePage is a page of files.
type FilePage struct {
	Content       []File `json:"content" nullable:"false"`
	TotalElements int    `json:"totalElements"`
	Number        int    `json:"number"`
	Size          int    `json:"size"`
	Truncated     bool   `json:"truncated,omitempty" doc:"There are too many files in its session to look at all of them"`
	Session       string `json:"session" doc:"The session of the job"`
	Version       string `json:"version,omitempty" doc:"The version of its work that has them"`
}

// result is the work of a job's session, after its end or as it is now.
type result struct {
	job       Job
	versioner engine.Versioner
}

// result returns the work of one of the caller's jobs with a session of its own; NotFound before it has one.
func (s *Service) result(ctx context.Context, id string) (result, error) {
	job, err := s.Get(ctx, id)
	if err != nil {
		return result{}, err
	}
	if job.Kind != OwnKind || job.Session == "" {
		return result{}, fault.New(fault.NotFound, "This job has left no files.")
	}
	session, err := s.Sessions.OwnOrDeleted(ctx, job.Session)
	if err != nil {
		return result{}, err
	}
	versioner, err := s.Engines.VersionerOf(session.Engine)
	return result{job, versioner}, err
}

// notebook opens the executed notebook.
func (r result) notebook(ctx context.Context) (engine.VersionContent, error) {
	where := r.job.where()
	if where == "" {
		return engine.VersionContent{}, fault.New(fault.NotFound, "The notebook of this job hasn't been executed.")
	}
	return r.versioner.OpenVersion(ctx, r.job.Session, "", where)
}

// Notebook opens the executed notebook of one of the caller's jobs, as it is now.
func (s *Service) Notebook(ctx context.Context, id string) (engine.VersionContent, string, error) {
	found, err := s.result(ctx, id)
	if err != nil {
		return engine.VersionContent{}, "", err
	}
	opened, err := found.notebook(ctx)
	return opened, path.Base(found.job.File), err
}

// Log returns the end of the log of a job's session.
func (s *Service) Log(ctx context.Context, id string) (string, error) {
	found, err := s.result(ctx, id)
	if err != nil {
		return "", err
	}
	status, err := found.versioner.Status(ctx, found.job.Session)
	return status.Log, err
}

const (
	filesMost   = 5_000 // that are looked at, in all folders
	foldersMost = 500
)

// written is what a job wrote.
type written struct {
	files   []File // those of upper folders first
	version string // that has them; "": none
	cut     bool   // there are more, because not all were looked at
}

// written returns the files that a job wrote, without hidden ones.
func (r result) written(ctx context.Context) (found written, err error) {
	if r.job.StartedAt == nil {
		return found, nil
	}
	newest, _, err := r.versioner.Versions(ctx, r.job.Session, engine.VersionFilter{Most: 1})
	if err != nil || len(newest) == 0 {
		return found, err
	}
	found.version = newest[0].ID
	since := r.job.StartedAt.Truncate(time.Second) // which is all that some file systems keep
	seen := 0
	folders := []string{""}
	for at := 0; at < len(folders) && !found.cut; at++ {
		all, err := r.versioner.VersionFiles(ctx, r.job.Session, found.version, folders[at])
		if err != nil {
			return found, err
		}
		for _, one := range all {
			if found.cut = seen >= filesMost || at >= foldersMost; found.cut {
				break
			}
			name := strings.TrimPrefix(folders[at]+"/"+one.Name, "/")
			switch {
			case strings.HasPrefix(one.Name, "."), one.Link:
			case one.Folder:
				folders = append(folders, name)
			case !one.Modified.Before(since):
				found.files = append(found.files, File{Path: versions.EscapePath(name), Bytes: one.Bytes, Modified: one.Modified.UTC(), name: name})
			}
			seen++
		}
	}
	return found, nil
}

// Files returns a page of the files that one of the caller's jobs wrote.
func (s *Service) Files(ctx context.Context, id string, number, size int) (FilePage, error) {
	page := FilePage{Content: []File{}, Number: number, Size: size}
	found, err := s.result(ctx, id)
	if err != nil {
		return page, err
	}
	wrote, err := found.written(ctx)
	if err != nil {
		return page, err
	}
	begin := min(number*size, len(wrote.files))
	page.Content = append(page.Content, wrote.files[begin:min(begin+size, len(wrote.files))]...)
	page.TotalElements, page.Truncated, page.Session, page.Version = len(wrote.files), wrote.cut, found.job.Session, wrote.version
	return page, nil
}

// add copies a file of a version into a zip, and returns the number of its bytes.
func (r result) add(ctx context.Context, archive *zip.Writer, version, name, as string, also io.Writer) (int64, error) {
	opened, err := r.versioner.OpenVersion(ctx, r.job.Session, version, name)
	if err != nil {
		return 0, err
	}
	defer opened.Close()
	file, err := archive.CreateHeader(&zip.FileHeader{Name: as, Method: zip.Deflate, Modified: opened.Modified.UTC()})
	if err != nil {
		return 0, err
	}
	return io.Copy(io.MultiWriter(file, also), opened)
}

// zip writes all files that a job wrote.
func (r result) zip(ctx context.Context, to io.Writer) error {
	wrote, err := r.written(ctx)
	if err != nil {
		return err
	}
	archive, names := zip.NewWriter(to), zipNames{}
	for _, one := range wrote.files {
		if _, err := r.add(ctx, archive, wrote.version, one.name, names.of(one.name), io.Discard); err != nil {
			return err
		}
	}
	return archive.Close()
}

// zipNames are the names in a zip that are taken.
type zipNames map[string]bool

// of returns the name for a path of a session, which is free and harmless: some programs take backslashes for folders.
func (z zipNames) of(name string) string {
	safe := strings.ReplaceAll(name, `\`, "_")
	free := safe
	for number := 2; z[free]; number++ {
		free = strings.TrimSuffix(safe, path.Ext(safe)) + fmt.Sprintf(" (%d)", number) + path.Ext(safe)
	}
	z[free] = true
	return free
}

// Changes says, cell by cell, how the outputs of one of the caller's jobs differ from those of the job before it, or of another one.
func (s *Service) Changes(ctx context.Context, id, with string) (comparator.Result, error) {
	job, err := s.Get(ctx, id)
	if err != nil {
		return comparator.Result{}, err
	}
	if with == "" {
		if with, err = s.store.before(ctx, job); err != nil { // the one that it was compared with may be gone
			return comparator.Result{}, err
		}
	}
	if with == "" {
		return comparator.Result{}, fault.New(fault.NotFound, "No job was executed before this one on the same file, so there is nothing to compare it with.")
	}
	select { // reading notebooks takes memory
	case s.comparing <- struct{}{}:
		defer func() { <-s.comparing }()
	case <-ctx.Done():
		return comparator.Result{}, ctx.Err()
	}
	before, err := s.compared(ctx, with)
	if err != nil {
		return comparator.Result{}, err
	}
	after, err := s.compared(ctx, id)
	if err != nil {
		return comparator.Result{}, err
	}
	return comparator.Compare(before, after, nil), nil
}

// compared reads the executed notebook of one of the caller's jobs.
func (s *Service) compared(ctx context.Context, id string) (*comparator.Notebook, error) {
	opened, _, err := s.Notebook(ctx, id)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	content, err := io.ReadAll(io.LimitReader(opened, comparedLimit+1))
	if err != nil {
		return nil, err
	}
	if len(content) > comparedLimit {
		return nil, fault.New(fault.TooLarge, "The notebook is larger than %d MiB. Download both to compare them.", comparedLimit>>20)
	}
	return comparator.Read(content)
}

// comparedLimit is the most bytes of a notebook that is compared.
const comparedLimit = 64 << 20
