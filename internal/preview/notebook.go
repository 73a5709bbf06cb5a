package preview

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"strconv"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/codehost"
	"cairn/internal/diskcache"
	"cairn/internal/fault"
	"cairn/internal/notebook"
	"cairn/internal/safehttp"
)

// Notebooks shows the notebooks of entries in frames of an origin of their own: rendered, sanitized, without script.
type Notebooks struct {
	entries  Entries
	frames   FrameLinks
	parts    FrameLinks // those inside a frame
	options  NotebookOptions
	files    *webFiles
	rendered *renderedNotebooks
}

// FrameAddresses are the addresses below which notebooks are shown.
type FrameAddresses interface {
	// NotebookFrame gives the address of a notebook's frame; its path is NotebookFramePath, the id, and a slash.
	NotebookFrame(id string) string
	// HostsNotebookFrame reports whether a request's host is the one of this frame.
	HostsNotebookFrame(host, id string) bool
}

// NotebookFramePath begins the paths of frames.
const NotebookFramePath = "/n/"

// NotebookOptions are what Notebooks needs.
type NotebookOptions struct {
	Client    *safehttp.Client
	Folder    string          // for copies of notebooks of the web; what else lies there is removed
	Bundled   fs.FS           // the notebooks that ship with this server; nil when it has none
	BundledAt string          // the address before the names of those; "" when people cannot have them
	GitHubRaw string          // where files of repositories of GitHub are; "" is GitHubRaw
	Hosts     *codehost.Hosts // for the notebooks inside repositories
	Renderer  *notebook.Renderer
	Public    string        // the page's own origin
	Wait      time.Duration // of a reader for a source; 0: 8 s
	Patience  time.Duration // of a reader for a source when there is a copy; 0: 2 s
	Now       func() time.Time
	Logger    *slog.Logger
}

// Limits of notebooks of the web.
const (
	notebookTime      = time.Minute         // of a fetch; it goes on when its reader has left
	notebookWait      = 8 * time.Second     // less than the page waits for an answer
	notebookPatience  = 2 * time.Second     // authors who have just changed their notebook see it
	notebookFresh     = 10 * time.Minute    // then the source is asked whether it has changed
	notebookStale     = 30 * 24 * time.Hour // how long a copy is shown while the source does not answer
	notebookRetry     = 3 * time.Second     // a person who presses Retry has waited as long
	notebookRetryOld  = 2 * time.Minute
	notebookCacheSize = 1_000_000_000 // bytes on disk
)

// How long addresses of frames are good: that of a frame itself until a page shows it, those inside it while somebody
// reads it.
const (
	frameStep = time.Minute
	frameLife = 5 * time.Minute
	linkLife  = 12 * time.Hour
)

// FrameSecret is the name of the secret that FrameLinks sign with.
const FrameSecret = "notebook-frame-key"

// FrameLinks are the addresses of the frames of notebooks, each signed for a reader.
type FrameLinks struct {
	signer    signer
	addresses FrameAddresses
}

// NewFrameLinks returns the addresses of frames with the secret that all servers on one database share.
func NewFrameLinks(secret []byte, addresses FrameAddresses, now func() time.Time) FrameLinks {
	return FrameLinks{signer{key: secret, purpose: "notebook-frame", now: now, step: frameStep, life: frameLife}, addresses}
}

// Link adds the notebookFrameUrl of an entry that is asked for alone.
func (l FrameLinks) Link() catalog.Link {
	return catalog.Link{Alone: true, Add: func(r *catalog.Resource, reader string) {
		if r.Type == catalog.Notebook {
			r.NotebookFrameURL = l.url(*r, reader, "", 1)
		}
	}}
}

// url is the address of a part of an entry's notebook for a reader. Who may read a repository may read all of its
// notebooks, so the path of one is not signed.
func (l FrameLinks) url(r catalog.Resource, reader, path string, part int) string {
	expires, signature := l.signer.sign(r, reader)
	query := url.Values{"expires": {strconv.FormatInt(expires, 10)}, "signature": {signature}}
	if path != "" {
		query.Set("path", path)
	}
	if part != 1 {
		query.Set("part", strconv.Itoa(part))
	}
	return l.addresses.NotebookFrame(r.ID) + "?" + query.Encode()
}

// NewNotebooks opens the cache.
func NewNotebooks(ctx context.Context, entries Entries, frames FrameLinks, options NotebookOptions) (*Notebooks, error) {
	if options.GitHubRaw == "" {
		options.GitHubRaw = GitHubRaw
	}
	if options.Wait == 0 {
		options.Wait = notebookWait
	}
	if options.Patience == 0 {
		options.Patience = notebookPatience
	}
	files, err := openWebFiles(ctx, webFileOptions{
		Client: options.Client, Folder: options.Folder, Now: options.Now, Logger: options.Logger,
		Accept: "application/x-ipynb+json, application/json, text/plain, */*;q=0.5", MaxBytes: notebook.SourceBytes,
		Room: notebookCacheSize, Timeout: notebookTime, Fresh: notebookFresh, Stale: notebookStale, Wait: options.Wait,
		Patience: options.Patience, Retry: notebookRetry, RetryOld: notebookRetryOld,
		Check: checkNotebook,
	})
	if err != nil {
		return nil, err
	}
	n := &Notebooks{entries: entries, frames: frames, parts: frames, options: options, files: files, rendered: newRenderedNotebooks(options.Renderer)}
	n.parts.signer.life = linkLife
	return n, nil
}

// Close ends the fetches under way and waits for them.
func (n *Notebooks) Close() error {
	n.files.close()
	return nil
}

const notebookFormat = "ipynb"

// checkNotebook admits what could be a notebook. So a page that says that something is wrong, sent as if all were well,
// takes the place of no copy.
func checkNotebook(response *safehttp.Response, content []byte) (format string, err error) {
	err = response.MustBeOK()
	if err != nil && response.IsAbsent() {
		return "", fault.Wrap(err, fault.NotFound, "There is no notebook at its address, or none for everybody: %s", fault.MessageOf(err))
	}
	if err != nil {
		return "", err
	}
	begin := bytes.TrimLeft(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case bytes.HasPrefix(begin, []byte("<")):
		return "", fault.New(fault.Invalid, "What its address leads to is a web page and no notebook. The address of the file itself is needed.")
	case !bytes.HasPrefix(begin, []byte("{")) || !json.Valid(begin):
		return "", fault.New(fault.Invalid, "What its address leads to is no notebook, or only a part of one.")
	}
	return notebookFormat, nil
}

// shownNotebook is a part of a notebook, ready to be shown.
type shownNotebook struct {
	notebook.Document

	Size    int64
	Link    string    // where people find the source; "" for nowhere
	Fetched time.Time // zero for what ships with this server
	Failure error     // why it is older than it should be; nil while it is not
}

// showOwn returns a part of the notebook that an entry is, counted from 1. Its faults say what is wrong at the source, or with the
// notebook.
func (n *Notebooks) showOwn(ctx context.Context, r catalog.Resource, part int) (shownNotebook, error) {
	if r.Type != catalog.Notebook {
		return shownNotebook{}, fault.New(fault.NotFound, "This entry is no notebook.")
	}
	source, err := n.sourceOf(r.NotebookPath)
	if err != nil {
		return shownNotebook{}, advised(err)
	}
	if source.bundled != "" {
		content, err := n.readBundled(source.bundled)
		if err != nil {
			return shownNotebook{}, advised(err)
		}
		document, err := n.rendered.part(ctx, diskcache.DigestOf(content), part, func() ([]byte, error) { return content, nil })
		return shownNotebook{Document: document, Size: int64(len(content)), Link: source.link}, err
	}
	file, err := n.files.open(ctx, source.address)
	if err != nil {
		return shownNotebook{}, advised(err)
	}
	document, err := n.rendered.part(ctx, file.Digest, part, func() ([]byte, error) {
		return io.ReadAll(io.NewSectionReader(file, 0, file.Size()))
	})
	return shownNotebook{
		Document: document, Size: file.Size(), Link: source.link, Fetched: file.Checked, Failure: file.Failure,
	}, errors.Join(err, file.Close())
}

// advised adds to a fault of a source what a person can do.
func advised(err error) error {
	advice := map[fault.Kind]string{
		fault.NotFound:    "It may have been moved: its authors can mend the address.",
		fault.Invalid:     "Its authors can mend the address.",
		fault.TooLarge:    "Its authors can clear large outputs and save it again.",
		fault.BadUpstream: "Try again in a while.",
	}[fault.KindOf(err)]
	if advice == "" {
		return err
	}
	return fault.Wrap(err, fault.CodeOf(err), "%s %s", fault.MessageOf(err), advice)
}
