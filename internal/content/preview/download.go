package preview

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"time"

	"cairn/internal/content/dataset"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/people/identity"
)

// Who may download the data of the entries that they see.
const (
	DownloadsForEveryone = "everyone"
	DownloadsForSignedIn = "signed_in"
	NoDownloads          = "none"
)

// DownloadSecret is the name of the secret with which DownloadLinks sign.
const DownloadSecret = "download-key"

// A download of many gigabytes may be interrupted, and continued at the same address.
const (
	downloadStep = time.Hour
	downloadLife = 12 * time.Hour
)

// DownloadLinks are the addresses of downloads, for browsers, which open them without a token.
type DownloadLinks struct{ signer signer }

// NewDownloadLinks returns the links of downloads, signed with the secret that all servers on one database share.
func NewDownloadLinks(secret []byte, now func() time.Time) DownloadLinks {
	return DownloadLinks{signer{key: secret, purpose: "download", now: now, step: downloadStep, life: downloadLife}}
}

// DatasetDownloads configure downloads of datasets.
type DatasetDownloads struct {
	Links DownloadLinks
	For   string // one of the constants
	Limit int64  // bytes of a file, and of a whole dataset
}

// archivesAtOnce limits how many whole datasets are sent at a time: each is read from disks that sessions use, too.
const archivesAtOnce = 4

func archivesBusy() error {
	busy := fault.New(fault.Unavailable, "%d whole datasets are being downloaded already. Try again in a minute, or download single files.", archivesAtOnce)
	busy.RetryAfter = time.Minute
	return busy
}

// DatasetDownload says how the caller downloads a dataset.
type DatasetDownload struct {
	State   string `json:"state" enum:"ALLOWED,SIGN_IN,NONE" doc:"SIGN_IN: only people who are signed in"`
	FileURL string `json:"fileUrl,omitempty" doc:"ALLOWED: of a file, when its path is added, encoded; good for 11 to 12 hours unless everyone may"`
	ZipURL  string `json:"zipUrl,omitempty" doc:"ALLOWED: of all files; likewise"`
}

// downloadOf returns how the caller downloads a dataset that they see.
func (d *Datasets) downloadOf(ctx context.Context, r catalog.Entry) DatasetDownload {
	reader, policy := identity.Email(ctx), d.downloads.For
	switch {
	case policy == NoDownloads:
		return DatasetDownload{State: "NONE"}
	case policy == DownloadsForSignedIn && reader == "":
		return DatasetDownload{State: "SIGN_IN"}
	default:
		known := policy == DownloadsForSignedIn
		links := d.downloads.Links
		return DatasetDownload{"ALLOWED", links.url(r, reader, "/dataset/file", "path=", known), links.url(r, reader, "/dataset.zip", "", known)}
	}
}

// downloadable opens a dataset for a caller who may download it, or for the holder of a signature.
func (d *Datasets) downloadable(ctx context.Context, id string, expires int64, signature string) (catalog.Entry, *dataset.Tree, error) {
	signer := d.downloads.Links.signer
	resource, err := signer.entry(ctx, d.entries, id, expires, signature)
	switch {
	case err != nil:
		return resource, nil, err
	case resource.Type != catalog.Dataset:
		return resource, nil, errNoDataset
	case d.downloads.For == NoDownloads:
		return resource, nil, fault.New(fault.Forbidden, "Datasets can't be downloaded from this server.")
	case d.downloads.For == DownloadsForSignedIn && identity.Email(ctx) == "" && !signer.signed(resource, expires, signature):
		return resource, nil, fault.New(fault.Unauthenticated, "Sign in to download data from this server. Links to its files work for 12 hours.")
	}
	tree, err := d.open(resource.DatasetURL)
	return resource, tree, err
}

// digested opens a file of a dataset that may be downloaded, with its digest if that is known.
func (d *Datasets) digested(ctx context.Context, id, name string, expires int64, signature string) (*dataset.File, []byte, error) {
	_, tree, err := d.downloadable(ctx, id, expires, signature)
	if err != nil {
		return nil, nil, err
	}
	defer tree.Close()
	file, err := tree.File(name)
	if err != nil {
		return nil, nil, err
	}
	if file.Size > d.downloads.Limit {
		_ = file.Close()
		return nil, nil, d.tooLarge("This file", file.Size)
	}
	if digest, ok := d.digests.Of(tree, file); ok {
		return file, digest[:], nil
	}
	return file, nil, nil
}

// FileDigest is the digest of a dataset's file.
type FileDigest struct {
	Path   string `json:"path"`
	Size   int64  `json:"size" doc:"Bytes of the file"`
	SHA256 string `json:"sha256,omitempty" doc:"In hexadecimal digits. Absent while it is computed: ask again in a while"`
}

// Digest returns the digest of a file that the caller may download.
func (d *Datasets) Digest(ctx context.Context, id, name string) (FileDigest, error) {
	file, digest, err := d.digested(ctx, id, name, 0, "")
	if err != nil {
		return FileDigest{}, err
	}
	defer file.Close()
	return FileDigest{name, file.Size, hex.EncodeToString(digest)}, nil
}

// datasetArchive is a whole dataset, ready to be sent.
type datasetArchive struct {
	tree  *dataset.Tree
	parts []dataset.Part
	name  string
	close func()
}

// archive opens a whole dataset to download.
func (d *Datasets) archive(ctx context.Context, id string, expires int64, signature string) (*datasetArchive, error) {
	resource, tree, err := d.downloadable(ctx, id, expires, signature)
	if err != nil {
		return nil, err
	}
	select {
	case d.archives <- struct{}{}:
	default:
		_ = tree.Close()
		return nil, archivesBusy()
	}
	archive := &datasetArchive{tree: tree, name: humanize.FileName(resource.Name, "dataset") + ".zip", close: func() {
		_ = tree.Close()
		<-d.archives
	}}
	parts, size, err := tree.Parts()
	if err == nil && size > d.downloads.Limit {
		err = d.tooLarge("This dataset", size)
	}
	if err != nil {
		archive.close()
		return nil, err
	}
	archive.parts = parts
	return archive, nil
}

func (d *Datasets) tooLarge(what string, size int64) error {
	return fault.New(fault.TooLarge, "%s has %d bytes, more than this server's download limit of %d bytes.", what, size, d.downloads.Limit)
}

// spool returns a file with a content, which no folder has: who reads slowly holds no memory.
func spool(folder string, content []byte) (*os.File, error) {
	file, err := os.CreateTemp(folder, ".sent-*")
	if err != nil {
		return nil, err
	}
	_, err = file.Write(content)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err = errors.Join(err, os.Remove(file.Name())); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
