package deposits

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the archives' own checksum
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"cairn/internal/content/preview"
	"cairn/internal/entries/archives"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/rocrate"
	"cairn/internal/sharing/fair"
)

const (
	mostFiles = 90         // that go up as they are: Zenodo takes 100, and some are ours
	nameBytes = 255        // of a file in an archive
	runName   = "run.json" // what came out of the last run of the version
)

// cargo is what goes up: files without folders.
type cargo struct {
	files  []cargoFile
	root   *os.Root // of the kept files; nil without
	packed *os.File // of them in one file, which has no name on the disk any more; nil without
}

// cargoFile is a file that goes up.
type cargoFile struct {
	name string
	size int64
	open func() (io.ReadCloser, error)
}

func (c *cargo) close() error {
	var faults []error
	if c.root != nil {
		faults = append(faults, c.root.Close())
	}
	if c.packed != nil {
		faults = append(faults, c.packed.Close())
	}
	return errors.Join(faults...)
}

func (c *cargo) addText(name string, text []byte) {
	c.files = append(c.files, cargoFile{name, int64(len(text)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }})
}

// load gathers what goes up of a version: its files, if this server keeps them, and what the record says about them.
func (s *Service) load(ctx context.Context, entry catalog.Entry, version catalog.EntryVersion, record fair.Record) (*cargo, error) {
	c := &cargo{}
	path, ok, err := s.options.Files(ctx, entry)
	if err == nil && ok {
		err = c.addKept(ctx, path, s.options.Folder, fmt.Sprintf("%s-v%d.zip", humanize.FileName(record.Name, "entry"), version.Number), version.At)
		record.Files, record.MoreFiles = c.listed(version.At), false
	}
	if err == nil && record.Run != nil {
		var text []byte
		if text, err = json.MarshalIndent(record.Run, "", "  "); err == nil {
			c.addText(runName, append(text, '\n'))
		}
	}
	if err == nil {
		var crate []byte
		if crate, err = s.options.Describe.Crate(record); err == nil {
			c.addText(rocrate.MetadataName, crate)
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// listed says which files there are, by their names beside the crate.
func (c *cargo) listed(at time.Time) (files []fair.File) {
	for _, one := range c.files {
		files = append(files, fair.File{Path: one.name, Name: one.name, URL: url.PathEscape(one.name), Type: preview.MediaTypeOf(one.name), Size: one.size, Modified: at.UTC()})
	}
	return files
}

// addKept adds the files in a folder, or a single one: as they are if an archive takes them so, else in one file with a name.
func (c *cargo) addKept(ctx context.Context, path, folder, packedName string, at time.Time) error {
	about, err := os.Stat(path)
	if err != nil {
		return err
	}
	only := ""
	if !about.IsDir() {
		path, only = filepath.Dir(path), filepath.Base(path)
	}
	if c.root, err = os.OpenRoot(path); err != nil {
		return err
	}
	var kept []cargoFile
	err = fs.WalkDir(c.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case only != "" && entry.IsDir() && name != ".":
			return fs.SkipDir
		case !entry.Type().IsRegular() || only != "" && name != only:
			return ctx.Err()
		}
		about, err := entry.Info()
		if err != nil {
			return err
		}
		kept = append(kept, cargoFile{name, about.Size(), func() (io.ReadCloser, error) { return c.root.Open(name) }})
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	slices.SortFunc(kept, func(a, b cargoFile) int { return strings.Compare(a.name, b.name) })
	if len(kept) <= mostFiles && !slices.ContainsFunc(kept, func(one cargoFile) bool { return !isFlat(one.name) }) {
		c.files = kept
		return nil
	}
	return c.pack(ctx, kept, folder, packedName, at)
}

// isFlat reports whether an archive takes a file by its name, beside ours.
func isFlat(name string) bool {
	odd := func(r rune) bool {
		return r == '/' || r == '\\' || unicode.IsControl(r) || r == unicode.ReplacementChar
	}
	return name != runName && name != rocrate.MetadataName && len(name) <= nameBytes && !strings.ContainsFunc(name, odd)
}

// pack puts files into one, which is the same whenever it is made: it isn't sent again if the archive has it.
func (c *cargo) pack(ctx context.Context, kept []cargoFile, folder, name string, at time.Time) error {
	file, err := os.CreateTemp(folder, "deposit-*.zip")
	if err != nil {
		return err
	}
	c.packed = file
	if err := os.Remove(file.Name()); err != nil { // so that it goes with this process, however that ends
		return err
	}
	writer := zip.NewWriter(file)
	for _, one := range kept {
		to, err := writer.CreateHeader(&zip.FileHeader{Name: one.name, Method: zip.Deflate, Modified: at.UTC().Truncate(time.Second)})
		if err != nil {
			return err
		}
		if err := copyFile(ctx, to, one); err != nil {
			return err
		}
	}
	if err := writer.Close(); err != nil {
		return err
	}
	about, err := file.Stat()
	if err != nil {
		return err
	}
	c.files = append(c.files, cargoFile{name, about.Size(), func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, about.Size())), nil }})
	return nil
}

func copyFile(ctx context.Context, to io.Writer, from cargoFile) error {
	content, err := from.open()
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = io.Copy(to, &watched{content, func(int) error { return ctx.Err() }})
	return err
}

// watched tells how much is read.
type watched struct {
	io.Reader

	tell func(bytes int) error
}

// Read implements io.Reader.
func (w *watched) Read(part []byte) (int, error) {
	count, err := w.Reader.Read(part)
	if told := w.tell(count); told != nil {
		err = told
	}
	return count, err
}

// md5 returns the checksum of a file.
func (f cargoFile) md5(ctx context.Context) (string, error) {
	sum := md5.New() //nolint:gosec // likewise
	if err := copyFile(ctx, sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// fill puts into a draft what belongs there, takes out what doesn't, as from the version before, and describes it.
func (j *job) fill(ctx context.Context, draft archives.Draft, entry catalog.Entry, version catalog.EntryVersion) error {
	record := j.options.Describe.Record(catalog.InVersion(ctx, j.Version), entry)
	record.DOI = draft.DOI
	c, err := j.load(ctx, entry, version, record)
	if err != nil {
		return err
	}
	defer func() { _ = c.close() }() // all of it was only read
	there, err := j.archive.Files(ctx, j.token, draft)
	if err != nil {
		return err
	}
	has := map[string]archives.DraftFile{}
	for _, one := range there {
		if has[one.Name] = one; !slices.ContainsFunc(c.files, func(wanted cargoFile) bool { return wanted.name == one.Name }) {
			if err := j.archive.DeleteFile(ctx, j.token, draft, one.Name); err != nil {
				return err
			}
		}
	}
	now := DepositProgress{}
	for _, one := range c.files {
		now.TotalBytes += one.size
	}
	for _, one := range c.files {
		j.tell(now)
		if err := j.send(ctx, draft, one, has[one.name]); err != nil {
			return err
		}
		now.Files, now.Bytes = now.Files+1, now.Bytes+one.size
	}
	j.tell(now)
	metadata, err := j.metadata(ctx, record, entry)
	if err != nil {
		return err
	}
	return j.archive.Describe(ctx, j.token, draft, metadata)
}

// send uploads a file, unless the archive has it.
func (j *job) send(ctx context.Context, draft archives.Draft, one cargoFile, there archives.DraftFile) error {
	if there.Name != "" && there.Size == one.size && there.MD5 != "" {
		if sum, err := one.md5(ctx); err != nil || sum == there.MD5 {
			return err
		}
	}
	content, err := one.open()
	if err != nil {
		return err
	}
	defer content.Close()
	return j.archive.Upload(ctx, j.token, draft, one.name, one.size, &watched{content, func(count int) error {
		j.bytes.Add(int64(count))
		return nil
	}})
}
