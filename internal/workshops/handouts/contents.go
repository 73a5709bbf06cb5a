package handouts

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// A session's server runs its user's code, so what it answers has bounds.
const (
	requestTime = 30 * time.Second // of one request with its answer
	fileAnswer  = 16 << 20         // bytes of an answer with a file; one of FileLimit bytes has 15 MiB in base64 with its line ends
	otherAnswer = 4 << 20          // bytes of any other answer
)

// who is the host for the session's front, which keeps both versions when one person saves over what another saved.
const who = "cairn-handouts"

// contents are the files of a session, as its server shows them. One goroutine uses it.
type contents struct {
	server jupyterkernel.Server // for it, the host asks
	plain  jupyterkernel.Server // for it, nobody does, as for folders: the front would keep a copy of a file where one can't be made
	heard  *heard
}

// heard notes what the front says of a copy that it kept.
type heard struct {
	http.RoundTripper

	kept string // of the last answer
}

// RoundTrip implements http.RoundTripper.
func (h *heard) RoundTrip(request *http.Request) (*http.Response, error) {
	h.kept = ""
	answer, err := h.RoundTripper.RoundTrip(request)
	if err == nil {
		h.kept = answer.Header.Get(engine.KeptHeader)
	}
	return answer, err
}

func openContents(to Target) *contents {
	listens := &heard{RoundTripper: to.Transport}
	address := to.URL.JoinPath(cmp.Or(to.Base, "/s/"+to.Session+"/"))
	server, plain := jupyterkernel.NewServer(address, to.Authorization, listens), jupyterkernel.NewServer(address, to.Authorization, listens)
	server.Header.Set(engine.WhoHeader, who)
	server.Limit, plain.Limit = fileAnswer, otherAnswer
	return &contents{server, plain, listens}
}

func call(ctx context.Context, server jupyterkernel.Server, method, path string, body, answer any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, requestTime, errLate)
	defer cancel()
	err := server.Call(ctx, method, path, body, answer)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

var errLate = errors.New("the session's server didn't answer in time")

// at returns the path of a file or folder in the server's API.
func at(file string) string {
	parts := strings.Split((&url.URL{Path: "/" + file}).EscapedPath(), "/")
	for i, part := range parts {
		if other, ok := ownWords[part]; ok {
			parts[i] = other
		}
	}
	return "api/contents" + strings.Join(parts, "/")
}

// ownWords are words that Jupyter takes at the end of a path for another question, unless they are written in another way. The front
// does so with the first, and keeps no copies there.
var ownWords = map[string]string{"checkpoints": "%63heckpoints", "trust": "%74rust"}

// state is what is at a path.
type state int

const (
	absent state = iota // nothing; or a link that leads nowhere, which Jupyter doesn't tell from that
	known               // a file with a known content
	other               // a folder, or what can't be read, or only in part
)

type found struct {
	state   state
	content []byte // of a known file
}

// look returns what is at a path. A file that a link leads to is that file.
func (c *contents) look(ctx context.Context, file string) (found, error) {
	var model struct {
		Type, Format string
		Content      json.RawMessage
	}
	// As base64 of type file, a notebook's bytes come as they are too.
	err := call(ctx, c.server, http.MethodGet, at(file)+"?type=file&format=base64&content=1", nil, &model)
	switch status := jupyterkernel.StatusOf(err); {
	case status == http.StatusNotFound:
		return found{}, nil
	case status == http.StatusBadRequest, status == http.StatusForbidden, errors.Is(err, jupyterkernel.ErrTooLarge):
		return found{state: other}, nil // a folder or no file at all; one that the session's user can't read; one too large to be ours
	case err != nil:
		return found{}, err
	}
	if content, ok := decode(model.Format, model.Content); ok && model.Type != "directory" {
		return found{known, content}, nil
	}
	return found{state: other}, nil
}

// decode returns the bytes of a file from the content in the server's API. It isn't ok if that's something else.
func decode(format string, said json.RawMessage) (content []byte, ok bool) {
	var text *string
	if err := json.Unmarshal(said, &text); err != nil || text == nil {
		return nil, false
	}
	if format == "text" {
		return []byte(*text), true
	}
	content, err := base64.StdEncoding.DecodeString(*text) // it ignores the line ends that Jupyter makes
	return content, format == "base64" && err == nil
}

// save writes a file whose folder is there. It returns the path of the copy that the front kept of what somebody else had saved there
// since it was looked at; "" if there is none.
func (c *contents) save(ctx context.Context, file string, content []byte) (kept string, err error) {
	model := map[string]string{"type": "file", "format": "base64", "content": base64.StdEncoding.EncodeToString(content)}
	server := c.server
	server.Limit = otherAnswer
	if err := call(ctx, server, http.MethodPut, at(file), model, nil); err != nil {
		return "", err
	}
	kept, err = url.PathUnescape(c.heard.kept)
	if err != nil || len(kept) > 2*pathLimit || !fs.ValidPath(kept) || !validName(path.Base(kept)) {
		return "", nil //nolint:nilerr // the file is saved; what a hostile session says of copies isn't needed
	}
	return kept, nil
}

// makeFolder makes a folder unless it is there. It reports whether it is there then: something else can have its name.
func (c *contents) makeFolder(ctx context.Context, folder string) (bool, error) {
	isFolder, isThere, err := c.isFolder(ctx, folder)
	if err != nil || isThere {
		return isFolder, err
	}
	err = call(ctx, c.plain, http.MethodPut, at(folder), map[string]string{"type": "directory"}, nil)
	if isRefusal(err) { // perhaps because somebody was faster
		var asked error
		if isFolder, isThere, asked = c.isFolder(ctx, folder); asked != nil || isThere {
			return isFolder, asked
		}
	}
	return err == nil, err
}

func (c *contents) isFolder(ctx context.Context, folder string) (isFolder, isThere bool, err error) {
	var model struct{ Type string }
	err = call(ctx, c.plain, http.MethodGet, at(folder)+"?content=0", nil, &model)
	if jupyterkernel.StatusOf(err) == http.StatusNotFound {
		return false, false, nil
	}
	return model.Type == "directory", err == nil, err
}

// isOpen reports whether a kernel works for a file.
func (c *contents) isOpen(ctx context.Context, file string) (bool, error) {
	var open openPaths
	if err := call(ctx, c.plain, http.MethodGet, "api/sessions", nil, &open); err != nil {
		return false, err
	}
	for one := range open {
		if one == file || strings.HasSuffix(one, ":"+file) { // with the name of a drive, as pages write it that share a file at once
			return true, nil
		}
	}
	return false, nil
}

// openPaths are the paths for which kernels work. It needs no more memory than the answer, however many empty sessions that lists.
type openPaths map[string]bool

// UnmarshalJSON implements json.Unmarshaler.
func (o *openPaths) UnmarshalJSON(text []byte) error {
	*o = openPaths{}
	list := json.NewDecoder(strings.NewReader(string(text)))
	if begin, err := list.Token(); err != nil || begin != json.Delim('[') {
		return errNoList
	}
	for list.More() {
		var one struct {
			Path     string
			Notebook struct{ Path string } // of servers before 2017
		}
		if err := list.Decode(&one); err != nil {
			return err
		}
		(*o)[cmp.Or(one.Path, one.Notebook.Path)] = true
	}
	return nil
}

var errNoList = errors.New("the server doesn't list its sessions")

// isRefusal reports whether a server has decided not to do what it was asked; one that is overloaded, or only a proxy before it that
// answers, may have done it.
func isRefusal(err error) bool {
	status := jupyterkernel.StatusOf(err)
	return errors.Is(err, errTooManyCopies) ||
		status >= 400 && status <= http.StatusInternalServerError && status != http.StatusUnauthorized && status != http.StatusTooManyRequests
}

// isNonsense reports whether a server answered, though nothing that Jupyter answers.
func isNonsense(err error) bool {
	_, isNoJSON := errors.AsType[*json.SyntaxError](err)
	_, isOtherJSON := errors.AsType[*json.UnmarshalTypeError](err)
	status := jupyterkernel.StatusOf(err)
	return isNoJSON || isOtherJSON || errors.Is(err, errNoList) || errors.Is(err, jupyterkernel.ErrTooLarge) ||
		status != 0 && status < http.StatusInternalServerError && status != http.StatusTooManyRequests
}
