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
	"strings"
	"time"

	"cairn/internal/content/nbformat"
	"cairn/internal/content/notebook"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/diskcache"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitlfs"
	"cairn/internal/foundation/safehttp"
)

// Notebooks shows the notebooks of entries in frames on a separate origin: rendered, sanitized, without script
// of their own.
type Notebooks struct {
	entries  Entries
	frames   FrameLinks
	parts    FrameLinks // for links inside a frame
	options  NotebookOptions
	files    *webFiles
	rendered *renderedNotebooks
}

// FrameAddresses are the addresses of frames.
type FrameAddresses interface {
	// FrameOrigin returns the origin of a notebook's frame.
	FrameOrigin(notebookID string) string
	// HostsFrame reports whether a request's host is the one of this frame.
	HostsFrame(host, notebookID string) bool
}

// NotebookFramePath is the prefix of the paths of frames.
const NotebookFramePath = "/n/"

// picturesName is where the pictures beside a notebook are, below its frame.
const picturesName = "picture"

// NotebookOptions configure Notebooks.
type NotebookOptions struct {
	Client    *safehttp.Client
	Folder    string          // for copies of notebooks from the web; anything else in it is removed
	Bundled   fs.FS           // the notebooks that ship with this server; nil without any
	Kept      KeptFiles       // nil: this server keeps none
	BundledAt string          // the address prefix of bundled notebooks; "" when they can't be downloaded
	GitHubRaw string          // the address of raw files of GitHub; "" is codehost.PublicRaw
	Hosts     *codehost.Hosts // for notebooks in repositories
	Renderer  *notebook.Renderer
	Pictures  *HeaderImages // for pictures beside notebooks
	Downloads DownloadLinks
	Public    string        // the page's origin
	Embedders []string      // other origins whose pages may frame notebooks
	Wait      time.Duration // how long a reader waits for a source; 0: 8 s
	Patience  time.Duration // the same when there is a copy; 0: 2 s
	Now       func() time.Time
	Logger    *slog.Logger
}

// Limits of notebooks from the web.
const (
	notebookTime      = time.Minute         // of a fetch, which continues when its reader has left
	notebookWait      = 8 * time.Second     // less than the page waits for an answer
	notebookPatience  = 2 * time.Second     // authors who have just changed their notebook see it
	notebookFresh     = 10 * time.Minute    // after this the source is asked whether it has changed
	notebookStale     = 30 * 24 * time.Hour // how long a copy is shown while the source doesn't answer
	notebookRetry     = 3 * time.Second     // about the time until a person presses Retry
	notebookRetryOld  = 2 * time.Minute
	notebookCacheSize = 1 << 30 // bytes on disk
)

// How long the addresses of frames are valid: of a frame until a page shows it, and of links inside it while somebody
// reads.
const (
	frameStep = time.Minute
	frameLife = 5 * time.Minute
	linkLife  = 12 * time.Hour
)

// FrameSecret is the name of the secret with which FrameLinks sign.
const FrameSecret = "notebook-frame-key"

// FrameLinks are the addresses of notebook frames, each signed for a reader.
type FrameLinks struct {
	signer    signer
	addresses FrameAddresses
}

// NewFrameLinks returns the links of frames, signed with the secret that all servers on one database share.
func NewFrameLinks(secret []byte, addresses FrameAddresses, now func() time.Time) FrameLinks {
	return FrameLinks{signer{key: secret, purpose: "notebook-frame", now: now, step: frameStep, life: frameLife}, addresses}
}

// addressOf returns the address of a notebook's frame.
func (l FrameLinks) addressOf(id string) string {
	return l.addresses.FrameOrigin(id) + NotebookFramePath + id + "/"
}

// Link adds the notebookFrameUrl to an entry that is requested alone. Existing clients load the notebookPath in a
// frame, so it becomes the same address; what was entered is the notebookSource.
func (l FrameLinks) Link() catalog.Link {
	return catalog.Link{Alone: true, Add: func(r *catalog.Resource, reader catalog.Reader) {
		if r.Type == catalog.Notebook {
			r.NotebookFrameURL = l.url(*r.Entry(), reader.Email, "", 1)
			r.NotebookSource, r.NotebookPath = r.NotebookPath, r.NotebookFrameURL
		}
	}}
}

// IsFrameURL reports whether an address is one at which an entry's notebook is shown, whoever it was signed for.
func (l FrameLinks) IsFrameURL(id, address string) bool {
	place, _, _ := strings.Cut(address, "?")
	return place == l.addressOf(id)
}

// url returns the address of a part of an entry's notebook for a reader. Whoever may read a repository may read all its
// notebooks, so a notebook's path isn't signed.
func (l FrameLinks) url(r catalog.Entry, reader, path string, part int) string {
	expires, signature := l.signer.sign(r, reader)
	query := url.Values{"expires": {strconv.FormatInt(expires, 10)}, "signature": {signature}}
	if path != "" {
		query.Set("path", path)
	}
	switch part {
	case 1:
	case allParts:
		query.Set("part", allPartsText)
	default:
		query.Set("part", strconv.Itoa(part))
	}
	return l.addressOf(r.ID) + "?" + query.Encode()
}

// pictureURL returns the address of a picture beside an entry's notebooks, for a reader. Like a notebook's, its path isn't signed.
func (l FrameLinks) pictureURL(r catalog.Entry, reader, file string) string {
	return l.picturesOf(r.ID) + "?" + url.Values{"file": {file}}.Encode() + "&" + l.signer.query(r, reader)
}

// picturesOf returns the address of the pictures beside a notebook, without a query.
func (l FrameLinks) picturesOf(id string) string { return l.addressOf(id) + picturesName }

// NewNotebooks opens the cache.
func NewNotebooks(ctx context.Context, entries Entries, frames FrameLinks, options NotebookOptions) (*Notebooks, error) {
	if options.GitHubRaw == "" {
		options.GitHubRaw = codehost.PublicRaw
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

const (
	notebookFormat = "ipynb"
	pageFormat     = "page"
)

// errInLFS is the cause if an address leads to a pointer of Git LFS.
var errInLFS = errors.New("the notebook is kept in Git LFS")

// checkNotebook accepts what could be a notebook, and a web page where none was before: an error page sent with status
// 200 doesn't replace a copy.
func checkNotebook(response *safehttp.Response, content []byte, copied fileInfo) (fileInfo, error) {
	err := response.MustBeOK()
	if err != nil && response.IsAbsent() {
		return fileInfo{}, fault.Wrap(err, fault.NotFound, "There is no notebook at its address, or it isn't public: %s", fault.MessageOf(err))
	}
	if err != nil {
		return fileInfo{}, err
	}
	begin := bytes.TrimLeft(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case bytes.HasPrefix(begin, []byte("<")):
		page := webPageIn(response)
		if page == nil || copied.Format == notebookFormat {
			return fileInfo{}, errWebPage()
		}
		return fileInfo{Format: pageFormat, Page: page}, nil
	case gitlfs.IsPointer(begin):
		return fileInfo{}, fault.Wrap(errInLFS, fault.Invalid, "Its address leads to a pointer of Git LFS, not to the notebook, which is kept elsewhere.")
	case !bytes.HasPrefix(begin, []byte("{")) || !json.Valid(begin) && !json.Valid(nbformat.Strict(begin)):
		return fileInfo{}, fault.New(fault.Invalid, "Its address leads to something other than a notebook, or to only part of one.")
	}
	return fileInfo{Format: notebookFormat}, nil
}

// shownNotebook is a part of a notebook, ready to show.
type shownNotebook struct {
	notebook.Document

	Size    int64
	Link    string    // where people find the source; "" for nowhere
	Fetched time.Time // zero for bundled notebooks
	Failure error     // why it is older than it should be; nil otherwise
	Page    *webPage  // what its address leads to instead of a notebook; nil otherwise

	beside beside
}

// showOwn returns a part of a notebook entry's notebook, counted from 1, or of the one at a path in its repository. Its faults
// say what is wrong with the source or the notebook.
func (n *Notebooks) showOwn(ctx context.Context, r catalog.Entry, path string, part int) (shownNotebook, error) {
	if r.Type != catalog.Notebook {
		return shownNotebook{}, fault.New(fault.NotFound, "This entry isn't a notebook.")
	}
	source, err := n.sourceOf(r.NotebookPath)
	if err != nil {
		return shownNotebook{}, withAdvice(err)
	}
	if path != "" {
		if source, err = source.other(path); err != nil {
			return shownNotebook{}, err
		}
	}
	if source.here != "" {
		content, err := n.readHere(ctx, source.here)
		if err != nil {
			return shownNotebook{}, withAdvice(err)
		}
		document, err := n.rendered.part(ctx, diskcache.DigestOf(content), "", part, func() ([]byte, error) {
			n.noteText(ctx, r.ID, content)
			return content, nil
		})
		return shownNotebook{Document: document, Size: int64(len(content)), Link: source.link}, err
	}
	file, err := n.fetch(ctx, source, n.files.open)
	if err != nil {
		return shownNotebook{}, withAdvice(err)
	}
	if page := file.About.Page; page != nil {
		return shownNotebook{
			Document: notebook.Document{Part: 1, Parts: 1}, Link: source.link, Fetched: file.Checked, Failure: file.Failure, Page: page,
		}, file.Close()
	}
	document, err := n.rendered.part(ctx, file.Digest, source.beside.path, part, func() ([]byte, error) {
		content, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size()))
		if err == nil && path == "" {
			n.noteText(ctx, r.ID, content)
		}
		return content, err
	})
	return shownNotebook{
		Document: document, Size: file.Size(), Link: source.link, Fetched: file.Checked, Failure: file.Failure, beside: source.beside,
	}, errors.Join(err, file.Close())
}

// SearchText returns as Markdown what searches find a notebook by; "" if the source isn't a notebook.
func SearchText(source []byte) string { return notebook.SearchText(source, proseLimit) }

// noteText makes the texts and the code of an entry's own notebook findable.
func (n *Notebooks) noteText(ctx context.Context, id string, source []byte) {
	n.entries.NoteContent(ctx, id, "", SearchText(source))
}

// withAdvice adds to a fault of a source what a person can do.
func withAdvice(err error) error {
	advice := map[fault.Kind]string{
		fault.NotFound:    "It may have been moved: its authors can correct the address.",
		fault.Invalid:     "Its authors can correct the address.",
		fault.TooLarge:    "Its authors can clear large outputs and save it again.",
		fault.BadUpstream: "Try again in a while.",
	}[fault.KindOf(err)]
	if advice == "" || fault.CodeOf(err) == fault.CodehostUnavailable {
		return err
	}
	return fault.Wrap(err, fault.CodeOf(err), "%s %s", fault.MessageOf(err), advice)
}
