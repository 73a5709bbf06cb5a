package client

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
)

// Downloaded is a file that a download left in the folder.
type Downloaded struct {
	Path      string `json:"path"` // in the folder, with slashes
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
	Checked   bool   `json:"checked"`   // against the server's digest
	Unchanged bool   `json:"unchanged"` // it was there already
}

// Download downloads the files of entries into a folder. Names that the server gives never lead out of it.
type Download struct {
	Client *Client
	Folder *os.Root
	Force  bool // replaces files
	// Progress hears of the bytes of a file; total is -1 while unknown.
	Progress func(name string, done, total int64)
	// Done hears of each file.
	Done func(Downloaded)
}

// Notebook downloads the file of a notebook.
func (d *Download) Notebook(ctx context.Context, entry Entry) error {
	part := "/resources/public/" + url.PathEscape(entry.ID) + "/notebook/file"
	return d.file(ctx, remote{path: part, fallback: entry.ID + ".ipynb"})
}

// Dataset downloads all files of a dataset.
func (d *Download) Dataset(ctx context.Context, entry Entry) error {
	address := entry.DatasetURL
	if doi, archived := strings.CutPrefix(address, "doi:"); archived {
		address = "https://doi.org/" + doi
	}
	if strings.HasPrefix(address, "https://") {
		return fault.New(fault.Conflict, "The data isn't on this server. Download it from %s.", Printable(address))
	}
	base := "/resources/public/" + url.PathEscape(entry.ID) + "/dataset"
	return d.tree(ctx, base, "", 0)
}

// depthLimit ends listings that would go on forever.
const depthLimit = 64

func (d *Download) tree(ctx context.Context, base, folder string, depth int) error {
	var listing struct {
		Available bool
		Note      string
		Total     int
		More      bool
		Entries   []struct {
			Type, Path string
			Size       int64
		}
	}
	if err := d.Client.call(ctx, http.MethodGet, base, url.Values{"path": {folder}}, nil, &listing); err != nil {
		return err
	}
	if !listing.Available {
		return fault.New(fault.Conflict, "There is nothing to download from this server. %s", Printable(listing.Note))
	}
	if listing.More || listing.Total > len(listing.Entries) {
		return fault.New(fault.Conflict, "The folder %s has too many files to be listed. Download the dataset as one archive, from its page.", fault.Quote(Printable(folder)))
	}
	for _, one := range listing.Entries {
		var err error
		switch {
		case one.Type == "dir" && depth < depthLimit:
			err = d.tree(ctx, base, one.Path, depth+1)
		case one.Type == "file":
			err = d.file(ctx, remote{path: base + "/file", query: url.Values{"path": {one.Path}}, name: one.Path, digest: base + "/digest"})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// remote is a file of the server's.
type remote struct {
	path     string
	query    url.Values
	name     string // in the folder; "" if the answer names it
	fallback string // the name where the answer has none
	digest   string // the call that says its digest; "" for none
}

// localName checks a name that the server gave: Invalid if it isn't a path inside a folder.
func localName(name string) (string, error) {
	local, err := filepath.Localize(name)
	hostile := strings.ContainsFunc(name, func(char rune) bool { return unicode.IsControl(char) || char == '\\' })
	if err != nil || hostile || local == "." || strings.HasSuffix(name, partSuffix) {
		return "", fault.New(fault.BadUpstream, "The server names a file %s, which can't be saved here. Nothing was written for it; tell the operators of the server.", fault.Quote(Printable(name)))
	}
	return local, nil
}

const (
	partSuffix = ".cairn-part"     // of a download that isn't complete
	tagSuffix  = ".cairn-part-tag" // which state of the file that is a part of
)

func (d *Download) file(ctx context.Context, from remote) error {
	name := from.name
	if name != "" {
		local, err := localName(name)
		if err != nil {
			return err
		}
		present, err := d.present(ctx, local, from)
		if present || err != nil {
			return err
		}
		name = local
	}
	response, offset, err := d.ask(ctx, name, from)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if name == "" {
		_, said, _ := mime.ParseMediaType(response.Header.Get("Content-Disposition"))
		given := said["filename"]
		if given == "" {
			given = from.fallback
		}
		if name, err = localName(path.Base(given)); err != nil {
			return err
		}
		if present, err := d.present(ctx, name, from); present || err != nil {
			return err
		}
	}
	return d.save(ctx, name, from, response, offset)
}

// present reports whether a file is there already as the server has it: Conflict if it is there and may differ.
func (d *Download) present(ctx context.Context, name string, from remote) (bool, error) {
	info, err := d.Folder.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && d.Force && info.Mode().IsRegular()) {
		return false, nil
	}
	if err != nil {
		return false, cantSave(name, err)
	}
	if want, err := d.wanted(ctx, from); err == nil && want != "" && info.Mode().IsRegular() {
		sum := sha256.New()
		if size, err := d.hash(name, sum); err == nil && hex.EncodeToString(sum.Sum(nil)) == want {
			d.Done(Downloaded{Path: filepath.ToSlash(name), Size: size, SHA256: want, Checked: true, Unchanged: true})
			return true, nil
		}
	}
	return false, fault.New(fault.Conflict, "%s is already there, and it may differ from the server's. It was kept; --force replaces files.", fault.Quote(Printable(name)))
}

// wanted returns the digest that the server gives for a file, "" for none.
func (d *Download) wanted(ctx context.Context, from remote) (string, error) {
	if from.digest == "" {
		return "", nil
	}
	var answer struct{ SHA256 string }
	err := d.Client.call(ctx, http.MethodGet, from.digest, from.query, nil, &answer)
	return strings.ToLower(answer.SHA256), err
}

func (d *Download) hash(name string, sum hash.Hash) (int64, error) {
	file, err := d.Folder.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.Copy(sum, file)
}

// ask requests a file, or what is missing of it after an earlier download was cut off.
func (d *Download) ask(ctx context.Context, name string, from remote) (response *http.Response, offset int64, err error) {
	if name != "" {
		tag, _ := d.Folder.ReadFile(name + tagSuffix)
		info, err := d.Folder.Lstat(name + partSuffix)
		if err == nil && info.Mode().IsRegular() && info.Size() > 0 && len(tag) > 0 {
			response, err = d.Client.send(ctx, http.MethodGet, from.path, from.query, nil,
				"Range", fmt.Sprintf("bytes=%d-", info.Size()), "If-Range", string(tag))
			switch {
			case err == nil && response.StatusCode == http.StatusPartialContent:
				var first int64
				if _, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes %d-", &first); err == nil && first == info.Size() {
					return response, first, nil
				}
				_ = response.Body.Close()
			case err == nil:
				return response, 0, nil
			case !errors.Is(err, errRange):
				return nil, 0, err
			}
		}
	}
	response, err = d.Client.send(ctx, http.MethodGet, from.path, from.query, nil)
	return response, 0, err
}

// save writes a file beside its place and moves it there when it is complete and has the server's digest.
func (d *Download) save(ctx context.Context, name string, from remote, response *http.Response, offset int64) error {
	if folder := filepath.Dir(name); folder != "." {
		if err := d.Folder.MkdirAll(folder, 0o755); err != nil { // as the user's own files
			return cantSave(name, err)
		}
	}
	part, sum := name+partSuffix, sha256.New()
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if offset > 0 {
		flags = os.O_WRONLY | os.O_APPEND
		if _, err := d.hash(part, sum); err != nil {
			return cantSave(name, err)
		}
	}
	file, err := d.Folder.OpenFile(part, flags, 0o644)
	if err != nil {
		return cantSave(name, err)
	}
	if tag := response.Header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		_ = d.Folder.WriteFile(name+tagSuffix, []byte(tag), 0o600)
	}
	total := int64(-1)
	if response.ContentLength >= 0 {
		total = offset + response.ContentLength
	}
	size, err := io.Copy(io.MultiWriter(file, sum, &meter{d, name, offset, total}), response.Body)
	if closed := file.Close(); err == nil && closed != nil {
		return cantSave(name, closed)
	}
	size += offset
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, new(*fs.PathError)):
		return cantSave(name, err)
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "The download of %s was cut off after %s. What arrived was kept: run the same command again to go on.", fault.Quote(Printable(name)), humanize.Bytes(size))
	}
	got := hex.EncodeToString(sum.Sum(nil))
	want := reprDigest(response.Header)
	if want == "" {
		want, _ = d.wanted(ctx, from) // the file may be too new to have one
	}
	if want != "" && want != got {
		_ = d.Folder.Remove(part)
		_ = d.Folder.Remove(name + tagSuffix)
		return fault.New(fault.BadUpstream, "%s arrived damaged: its SHA-256 is not the server's. It was not kept; run the command again.", fault.Quote(Printable(name)))
	}
	if err := d.Folder.Rename(part, name); err != nil {
		return cantSave(name, err)
	}
	_ = d.Folder.Remove(name + tagSuffix)
	d.Done(Downloaded{Path: filepath.ToSlash(name), Size: size, SHA256: got, Checked: want != ""})
	return nil
}

func cantSave(name string, err error) error {
	if found, ok := errors.AsType[*fs.PathError](err); ok {
		err = found.Err
	}
	return fault.Wrap(err, fault.Conflict, "%s can't be saved in the folder: %s.", fault.Quote(Printable(name)), Printable(err.Error()))
}

// reprDigest returns the SHA-256 of a Repr-Digest header (RFC 9530) in hexadecimal digits, "" for none.
func reprDigest(header http.Header) string {
	for field := range strings.SplitSeq(header.Get("Repr-Digest"), ",") {
		if encoded, found := strings.CutPrefix(strings.TrimSpace(field), "sha-256=:"); found {
			if sum, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(encoded, ":")); err == nil && len(sum) == sha256.Size {
				return hex.EncodeToString(sum)
			}
		}
	}
	return ""
}

// meter reports the bytes that pass it.
type meter struct {
	download    *Download
	name        string
	done, total int64
}

// Write implements io.Writer.
func (m *meter) Write(data []byte) (int, error) {
	m.done += int64(len(data))
	m.download.Progress(filepath.ToSlash(m.name), m.done, m.total)
	return len(data), nil
}
