package kept

import (
	"archive/tar"
	stdbytes "bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"cairn/internal/content/nbformat"
	"cairn/internal/content/secretscan"
	"cairn/internal/content/uploads"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/unpack"
)

// Limits of a look into uploads.
const (
	filesShown    = 1000
	workShown     = 10_000         // of a session, where people choose among them
	streamRead    = int64(1 << 30) // bytes of a compressed archive, at most
	toldBytes     = 1 << 20        // of a file that says something about the work
	notebookRead  = 20 << 20
	toldFiles     = 50
	smallBytes    = 256 << 10 // of a file of an archive that is searched for secrets
	smallTogether = 32 << 20
	scanTime      = 10 * time.Second
)

// UploadContents are what is in uploads.
type UploadContents struct {
	Types     []catalog.Type       `json:"types" nullable:"false" doc:"What they can become, the likeliest first"`
	Files     []ContentFile        `json:"files" nullable:"false" doc:"At most 1,000; of a session at most 10,000"`
	FileCount int                  `json:"fileCount"`
	Bytes     int64                `json:"bytes"`
	Partial   bool                 `json:"partial,omitempty" doc:"An archive is too large to be looked through, so there is more"`
	LeftOut   []UploadLeftOut      `json:"leftOut" nullable:"false"`
	Warnings  []SecretWarning      `json:"warnings" nullable:"false" doc:"Files that look as if they had a secret in them, such as a key or a token: everybody who sees the entry could read it"`
	Draft     contribute.FromFiles `json:"draft"`
}

// SecretWarning is a file that looks as if it had a secret in it.
type SecretWarning struct {
	Path string          `json:"path"`
	Kind secretscan.Kind `json:"kind" enum:"private_key,token,jwt,password_in_address,generic_secret,env_file,credentials_file,not_searched"`
	Host string          `json:"host,omitempty" doc:"token: the service that it is for"`
	Line int             `json:"line,omitempty"`
	Cell int             `json:"cell,omitempty" doc:"Of a notebook, from 1"`
}

// ContentFile is a file in uploads.
type ContentFile struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// look looks through uploads without unpacking them.
type look struct {
	UploadContents

	most    int                                      // files that are listed
	told    map[string][]byte                        // files that may say something about the work, by path
	small   map[string][]byte                        // small files of archives, by path
	kept    int                                      // bytes of these
	plain   map[string]func() (io.ReadCloser, error) // files that aren't in an archive, by path
	folders map[string]bool                          // the topmost elements of paths
	all     []string                                 // the paths of all files, if they are told as they are
	whole   bool                                     // paths are told as they are, and people choose among them
	loose   bool                                     // a file is topmost
	name    string                                   // what the files are called together
}

// Describe returns what is in uploads of the caller's, all of which have arrived, and what it says about itself.
func (s *Service) Describe(ctx context.Context, content contribute.NewContent) (UploadContents, error) {
	caller, err := s.options.Uploads.Available(ctx)
	if err != nil {
		return UploadContents{}, err
	}
	found, err := s.material(ctx, caller.AccountID, request{Uploads: content.Upload}, content.Digests)
	if err != nil {
		return UploadContents{}, err
	}
	return s.describe(ctx, found)
}

func (s *Service) describe(ctx context.Context, of material) (UploadContents, error) {
	l := &look{most: filesShown, told: map[string][]byte{}, small: map[string][]byte{}, plain: map[string]func() (io.ReadCloser, error){}, folders: map[string]bool{}}
	l.Files, l.LeftOut = []ContentFile{}, []UploadLeftOut{}
	if err := of.look(ctx, l); err != nil {
		return UploadContents{}, err
	}
	if l.FileCount == 0 {
		return UploadContents{}, fault.New(fault.Invalid, "There are no files in it.")
	}
	l.unwrap()
	l.types(of)
	l.warn(ctx)
	draft, err := s.readTold(ctx, l)
	l.Draft = draft
	return l.UploadContents, err
}

// upload looks through one upload.
func (l *look) upload(ctx context.Context, at string, one uploads.Upload, all []uploads.Upload) error {
	kind := archiveIn(catalog.Dataset, all)
	if one.Packed {
		kind = unpack.Tar
	}
	file, err := os.Open(at)
	if err != nil {
		return err
	}
	defer file.Close()
	switch kind {
	case "":
		name := one.Path
		if name == "" {
			name = one.Filename
			l.name = strings.TrimSuffix(name, path.Ext(name))
		}
		l.plain[name] = func() (io.ReadCloser, error) { return os.Open(at) }
		l.file(name, one.Bytes, file)
		return nil
	case unpack.Zip:
		archive, err := unpack.OpenZip(file, one.Bytes)
		if err != nil {
			return damaged(one, err)
		}
		for _, entry := range archive.File {
			if err := l.entry(entry.Name, entry.Mode(), int64(min(entry.UncompressedSize64, 1<<62)), func() io.Reader {
				content, err := entry.Open()
				if err != nil {
					return strings.NewReader("")
				}
				return content
			}); err != nil {
				return damaged(one, err)
			}
		}
	default:
		limited := &io.LimitedReader{R: contextReader{ctx, file}, N: streamRead}
		var from io.Reader = limited
		if kind == unpack.TarGz {
			packed, err := gzip.NewReader(limited)
			if err != nil {
				return damaged(one, err)
			}
			from = io.LimitReader(packed, bombFactor*streamRead)
		} else if !one.Packed || one.Bytes <= streamRead {
			from = seekable{file}
		}
		err := unpack.EachInTar(from, func(header *tar.Header, mode fs.FileMode, content io.Reader) error {
			return l.entry(header.Name, mode, header.Size, func() io.Reader { return content })
		})
		if limited.N <= 0 {
			l.Partial = true
		} else if err != nil {
			return damaged(one, err)
		}
	}
	l.name, _, _ = strings.Cut(one.Filename, ".")
	return ctx.Err()
}

// seekable lets the reader of tar archives skip the contents of files.
type seekable struct{ io.ReadSeeker }

func damaged(one uploads.Upload, err error) error {
	if refused, ok := errors.AsType[*fault.Fault](err); ok {
		return fault.Wrap(err, fault.Invalid, "%s can't be used. %s", fault.Quote(one.Filename), refused.Message)
	}
	return fault.Wrap(err, fault.Invalid, "%s can't be unpacked: it is damaged, or not an archive of its kind.", fault.Quote(one.Filename))
}

// entry notes something in an archive.
func (l *look) entry(name string, mode fs.FileMode, bytes int64, open func() io.Reader) error {
	name, err := unpack.CleanName(name)
	switch {
	case err != nil:
		return err
	case mode.IsDir(), skipped(name):
		return nil
	case !mode.IsRegular():
		l.leaveOut(name, reasonFor(mode))
		return nil
	}
	if l.FileCount >= filesLimit {
		return fault.New(fault.Invalid, "These are more than %d files. Put what belongs together into fewer files.", filesLimit)
	}
	l.file(name, bytes, open())
	return nil
}

// leaveOut notes something that an entry doesn't get.
func (l *look) leaveOut(name, reason string) {
	if len(l.LeftOut) < leftOutShown {
		l.LeftOut = append(l.LeftOut, UploadLeftOut{strings.ToValidUTF8(name, "?"), reason})
	}
}

// file notes a file.
func (l *look) file(name string, bytes int64, content io.Reader) {
	l.FileCount++
	l.Bytes += bytes
	if l.whole {
		l.all = append(l.all, name)
	}
	if len(l.Files) < l.most {
		l.Files = append(l.Files, ContentFile{strings.ToValidUTF8(name, "?"), bytes})
	}
	top, _, below := strings.Cut(name, "/")
	l.loose = l.loose || !below
	l.folders[top] = true
	most := int64(toldBytes)
	isNotebook := strings.EqualFold(path.Ext(name), ".ipynb")
	if isNotebook {
		most = notebookRead
	}
	if content == nil {
		return // what it says is read once it is here
	}
	if l.plain[name] == nil && bytes <= smallBytes && l.kept+int(bytes) <= smallTogether {
		text, err := io.ReadAll(io.LimitReader(content, smallBytes))
		if err != nil {
			return
		}
		l.small[name], l.kept, content = text, l.kept+len(text), stdbytes.NewReader(text)
	}
	if strings.Count(name, "/") > 1 || bytes > most || len(l.told) >= toldFiles || !isNotebook && !tells(name) {
		return
	}
	if text, err := io.ReadAll(io.LimitReader(content, most)); err == nil {
		l.told[name] = text
	}
}

// tells reports whether a file may say something about the work that it belongs to.
func tells(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(strings.ToLower(base), "readme") || slices.Contains([]string{"CITATION.cff", "codemeta.json", ".zenodo.json"}, base) ||
		strings.EqualFold(path.Ext(base), ".yml") || strings.EqualFold(path.Ext(base), ".yaml")
}

// unwrap makes the content of a folder that has everything in it the topmost one, as gatherer.unwrap does.
func (l *look) unwrap() {
	if l.loose || len(l.folders) != 1 {
		return
	}
	for top := range l.folders {
		l.name, l.told = top, below(top, l.told)
		if l.whole {
			return
		}
		for i := range l.Files {
			l.Files[i].Path = strings.TrimPrefix(l.Files[i].Path, top+"/")
		}
		l.small, l.plain = below(top, l.small), below(top, l.plain)
	}
}

// below returns what is known of files by their paths below a folder.
func below[Value any](folder string, known map[string]Value) map[string]Value {
	found := make(map[string]Value, len(known))
	for name, value := range known {
		found[strings.TrimPrefix(name, folder+"/")] = value
	}
	return found
}

// warn looks for secrets in what can be read quickly; of other files, their names alone count.
func (l *look) warn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	names := l.all
	if !l.whole {
		names = make([]string, len(l.Files))
		for i, one := range l.Files {
			names[i] = one.Path
		}
	}
	report, _ := secretscan.Scan(ctx, func(name string) (io.ReadCloser, error) {
		if text, ok := l.small[name]; ok {
			return io.NopCloser(stdbytes.NewReader(text)), nil
		}
		if open, ok := l.plain[name]; ok {
			return open()
		}
		return nil, fs.ErrNotExist // it is in an archive, and large
	}, names)
	l.Warnings = []SecretWarning{}
	for _, one := range report.Warnings {
		l.Warnings = append(l.Warnings, SecretWarning{one.Path, one.Kind, one.Host, one.Line, one.Cell})
	}
	if !l.whole {
		return // of archives, only what is small is read
	}
	for _, path := range report.Unread[:min(len(report.Unread), secretscan.MaxWarnings)] {
		l.Warnings = append(l.Warnings, SecretWarning{Path: path, Kind: notSearched})
	}
}

// notSearched is the kind of a warning about a file of a session that wasn't searched, because it can't be read or that takes too long.
const notSearched secretscan.Kind = "not_searched"

// types says what the files can become.
func (l *look) types(of material) {
	hasCode, hasNotebook := false, false
	for _, one := range l.Files {
		switch strings.ToLower(path.Ext(one.Path)) {
		case ".ipynb":
			hasNotebook = true
		case ".py", ".r", ".rmd", ".jl", ".qmd", ".m":
			hasCode = true
		}
	}
	single := of.isFile() && l.FileCount == 1 && hasNotebook
	switch {
	case single:
		l.Types = []catalog.Type{catalog.Notebook, catalog.Repository, catalog.Dataset}
	case hasCode || hasNotebook:
		l.Types = []catalog.Type{catalog.Repository, catalog.Dataset}
	default:
		l.Types = []catalog.Type{catalog.Dataset, catalog.Repository}
	}
}

// readTold returns what the files say about the work.
func (s *Service) readTold(ctx context.Context, l *look) (contribute.FromFiles, error) {
	folder, root, err := s.files.trees.stage()
	if err != nil {
		return contribute.FromFiles{}, explainDisk(err)
	}
	defer func() { _ = errors.Join(root.Close(), s.files.trees.remove(folder)) }()
	title := ""
	for _, name := range slices.Sorted(maps.Keys(l.told)) {
		text := l.told[name]
		if strings.EqualFold(path.Ext(name), ".ipynb") {
			if title == "" {
				title = titleOf(text)
			}
			continue
		}
		if strings.Contains(name, "/") || uploads.CheckPath(name) != nil {
			continue
		}
		if err := root.WriteFile(name, text, 0o600); err != nil {
			return contribute.FromFiles{}, explainDisk(err)
		}
	}
	return s.options.Contribute.DescribeFiles(ctx, root.FS(), title, strings.ToValidUTF8(l.name, "?"))
}

// titleOf returns the first heading of a notebook; "" if it has none, or isn't one.
func titleOf(text []byte) string {
	read, err := nbformat.Read(text)
	if err != nil {
		return ""
	}
	for _, text := range read.Cells {
		var cell struct {
			Kind   string        `json:"cell_type"`
			Source nbformat.Text `json:"source"`
		}
		if json.Unmarshal(text, &cell) != nil || cell.Kind != "markdown" {
			continue
		}
		for line := range strings.Lines(string(cell.Source)) {
			if heading, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
				return strings.TrimSpace(strings.Trim(heading, "# "))
			}
		}
	}
	return ""
}
