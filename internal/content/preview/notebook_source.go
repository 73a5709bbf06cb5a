package preview

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/url"
	"path"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
)

// KeptFiles are the files that this server keeps for entries.
type KeptFiles interface {
	// Read returns a file, of at most so many bytes, and when it was changed; NotFound if it isn't kept.
	Read(ctx context.Context, address string, most int64) (content []byte, modified time.Time, err error)
}

// notebookSource is where a notebook is read from: a file on this server, or a web address.
type notebookSource struct {
	here    string // its address on this server; "" for the web
	address string // what is fetched
	link    string // what people open; "" for nothing
	beside  beside // zero for a notebook that isn't known to be in a repository
}

// beside is where the files of the repository are that has a notebook.
type beside struct {
	path  string // of the notebook
	files string // the address before the path of a file, at the notebook's branch
	pages string // likewise of the page that shows it; "" if there are none
}

// besideAt returns what is beside the notebook at an address of a code host; zero for any other. Of a branch only the first
// element is known: if its name has more, paths that begin at the root of the repository aren't found.
func (n *Notebooks) besideAt(address string) beside {
	if strings.HasPrefix(address, codehost.PublicGitHub) && !strings.Contains(address, "/blob/") {
		address = strings.Replace(address, "/raw/", "/blob/", 1)
	}
	page, ok := codehost.ParseFilePage(address)
	at := 1
	if ok && page.RefAndPath[0] == "refs" {
		at = 3 // refs/heads/main
	}
	if !ok || len(page.RefAndPath) <= at {
		return beside{}
	}
	branch, path := page.RefAndPath[:at], strings.Join(page.RefAndPath[at:], "/")
	if files := page.Raw(branch...); files != "" {
		return beside{path: path, files: files + "/", pages: page.Page(branch...) + "/"}
	}
	if page.Repository.Host != "github.com" {
		return beside{}
	}
	below := strings.Join(branch, "/") + "/"
	return beside{
		path:  path,
		files: strings.TrimSuffix(n.options.GitHubRaw, "/") + escapedPath("/"+page.Repository.String()+"/"+below),
		pages: codehost.PublicGitHub + escapedPath("/"+page.Repository.String()+"/blob/"+below),
	}
}

// other returns the source of another notebook in the same repository.
func (s notebookSource) other(name string) (notebookSource, error) {
	address, err := s.beside.file(name)
	if err != nil {
		return notebookSource{}, err
	}
	s.beside.path = name
	return notebookSource{address: address, link: s.beside.pages + escapedPath("/" + name)[1:], beside: s.beside}, nil
}

func escapedPath(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// file returns the address of a file in the repository; NotFound for a path that could lead out of it.
func (b beside) file(name string) (string, error) {
	if b.files == "" || name == "" || path.Clean("/"+name) != "/"+name || strings.Contains(name, `\`) {
		return "", fault.New(fault.NotFound, "There is no file %s beside this notebook.", fault.Quote(name))
	}
	return b.files + escapedPath("/" + name)[1:], nil
}

// sourceOf returns the source for a notebookPath.
func (n *Notebooks) sourceOf(notebookPath string) (notebookSource, error) {
	if name, ok := strings.CutPrefix(notebookPath, "bundled:"); ok {
		source := notebookSource{here: notebookPath}
		if n.options.BundledAt != "" {
			source.link = n.options.BundledAt + url.PathEscape(name)
		}
		return source, nil
	}
	if _, ok := catalog.ParseKept(notebookPath); ok {
		return notebookSource{here: notebookPath}, nil
	}
	parsed, ok := catalog.ParseAddress(codehost.Viewed(notebookPath))
	if !ok || parsed.Scheme != "https" {
		return notebookSource{}, fault.New(fault.Invalid, "%s isn't the address of a notebook.", fault.Quote(notebookPath))
	}
	source := notebookSource{address: parsed.String(), link: notebookPath}
	source.beside = n.besideAt(notebookPath)
	if raw, isGitHub := githubRaw(parsed); isGitHub {
		source.address = strings.TrimSuffix(n.options.GitHubRaw, "/") + raw
	} else if page, isPage := codehost.ParseFilePage(parsed.String()); isPage && page.Raw() != "" {
		source.address = page.Raw(page.RefAndPath...)
	}
	return source, nil
}

// Source returns the notebook at a notebookPath, as its source had it a few minutes ago.
func (n *Notebooks) Source(ctx context.Context, notebookPath string) ([]byte, error) {
	return n.read(ctx, notebookPath, n.files.open)
}

// Latest returns the notebook at a notebookPath as its source has it now; a copy doesn't stand in for it.
func (n *Notebooks) Latest(ctx context.Context, notebookPath string) ([]byte, error) {
	return n.read(ctx, notebookPath, n.files.latest)
}

func (n *Notebooks) read(ctx context.Context, notebookPath string, open opener) ([]byte, error) {
	source, err := n.sourceOf(notebookPath)
	if err != nil {
		return nil, withAdvice(err)
	}
	if source.here != "" {
		content, err := n.readHere(ctx, source.here)
		return content, withAdvice(err)
	}
	file, err := n.fetch(ctx, source, open)
	if err != nil {
		return nil, withAdvice(err)
	}
	if file.About.Page != nil {
		_ = file.Close()
		return nil, withAdvice(errWebPage())
	}
	content, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size()))
	return content, errors.Join(err, file.Close())
}

// opener opens the file at a web address.
type opener func(ctx context.Context, address string) (*webFile, error)

// fetch opens the notebook at a web address. GitHub exists: if it isn't found or doesn't connect, this server is without the internet,
// and the notebook's authors have nothing to correct.
func (n *Notebooks) fetch(ctx context.Context, source notebookSource, open opener) (*webFile, error) {
	file, err := open(ctx, source.address)
	raw := strings.TrimSuffix(n.options.GitHubRaw, "/")
	path, isGitHub := strings.CutPrefix(source.address, raw+"/")
	if !isGitHub {
		return file, err
	}
	if media := codehost.MediaURL(raw); media != "" && (errors.Is(err, errInLFS) || file != nil && errors.Is(file.Failure, errInLFS)) {
		if stored, failed := open(ctx, media+"/"+path); failed == nil {
			if file != nil {
				_ = file.Close()
			}
			file, err = stored, nil
		}
	}
	if file != nil {
		file.Failure = explainGitHubFailure(file.Failure)
	}
	return file, explainGitHubFailure(err)
}

func explainGitHubFailure(err error) error {
	_, nameless := errors.AsType[*net.DNSError](err)
	failed, unconnected := errors.AsType[*net.OpError](err)
	refused := unconnected && failed.Op == "dial" && fault.KindOf(err) == fault.BadUpstream // and not what may not be asked
	if !nameless && !refused {
		return err
	}
	away := fault.Wrap(err, fault.BadUpstream, "This notebook couldn't be loaded from GitHub. Try again later.")
	away.Code = fault.CodehostUnavailable
	return away
}

// githubRaw turns the page of a file on GitHub, https://github.com/OWNER/NAME/blob/REF/PATH, into the path of the raw
// file. A REF may contain slashes, so everything after "blob" is passed on unchanged. Paths that lead up are refused:
// they could leave OWNER/NAME.
func githubRaw(address *url.URL) (raw string, ok bool) {
	if !strings.EqualFold(address.Host, "github.com") {
		return "", false
	}
	parts := strings.Split(strings.TrimPrefix(address.EscapedPath(), "/"), "/")
	if len(parts) < 5 || parts[2] != "blob" || path.Clean(address.Path) != address.Path {
		return "", false
	}
	return "/" + strings.Join(append(parts[:2:2], parts[3:]...), "/"), true
}

// keptBytes is the maximum size of a kept notebook that is shown.
const keptBytes = 100 << 20

// readHere reads a notebook that is on this server. The name of a bundled one is one path element (kinds.go), and the file system ends at its
// root.
func (n *Notebooks) readHere(ctx context.Context, address string) ([]byte, error) {
	name, isBundled := strings.CutPrefix(address, "bundled:")
	if !isBundled && n.options.Kept != nil {
		content, _, err := n.options.Kept.Read(ctx, address, keptBytes)
		return content, err
	}
	absent := fault.New(fault.NotFound, "%s isn't among this server's notebooks.", fault.Quote(name))
	if n.options.Bundled == nil || path.Ext(name) != ".ipynb" {
		return nil, absent
	}
	content, err := fs.ReadFile(n.options.Bundled, name)
	if err != nil {
		return nil, absent
	}
	return content, nil
}
