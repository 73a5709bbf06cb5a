package uploads

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// UploadPage is the caller's uploads.
type UploadPage struct {
	Content []Upload    `json:"content" nullable:"false"`
	Quota   UploadQuota `json:"quota"`
}

// Routes registers the operations.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Uploads"}
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-uploads", Method: http.MethodGet, Path: "/uploads", Tags: tags,
		Summary: "The caller's uploads that aren't used yet", Description: "An upload is deleted a week after its last byte.",
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body UploadPage }, error) {
		found, err := s.List(ctx)
		if err != nil {
			return nil, err
		}
		quota, err := s.Limits(ctx)
		return &struct{ Body UploadPage }{UploadPage{Content: append([]Upload{}, found...), Quota: quota}}, err
	})
	const protocol = "The tus protocol 1.0 (tus.io), with creation and termination: every client of it works. "
	for _, one := range []struct {
		operation huma.Operation
		serve     func(http.ResponseWriter, *http.Request) error
		status    string
	}{
		{huma.Operation{
			OperationID: "create-upload", Method: http.MethodPost, Path: "/uploads", Summary: "Begin an upload",
			Description: protocol + "For enabled accounts. Upload-Metadata: filename; path, of a file in a folder; packed, tar for a stream of many small files of the folder; " +
				"sha256, in hexadecimal digits. Location has its address, and Upload-Expires says when it is deleted. 409 quota_reached.",
		}, s.create, "201"},
		{huma.Operation{OperationID: "get-upload", Method: http.MethodHead, Path: "/uploads/{id}", Summary: "How far an upload has come", Description: protocol}, s.serve, "200"},
		{huma.Operation{
			OperationID: "continue-upload", Method: http.MethodPatch, Path: "/uploads/{id}", Summary: "Send bytes of an upload",
			Description: protocol + "What has arrived when the line breaks stays.",
		}, s.serve, "204"},
		{huma.Operation{OperationID: "delete-upload", Method: http.MethodDelete, Path: "/uploads/{id}", Summary: "Delete an upload", Description: protocol}, s.serve, "204"},
	} {
		one.operation.Tags = tags
		one.operation.Responses = map[string]*huma.Response{one.status: {Description: "As in the protocol"}}
		if strings.Contains(one.operation.Path, "{id}") {
			one.operation.Parameters = []*huma.Param{{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}}
		}
		httpapi.RegisterRaw(api, httpapi.SignedIn, one.operation, one.serve)
	}
	api.Mount(http.MethodOptions, httpapi.Base+"/uploads", func(w http.ResponseWriter, r *http.Request) {
		s.tus.Middleware(http.NotFoundHandler()).ServeHTTP(w, r)
	})
}

// create begins an upload.
func (s *Service) create(w http.ResponseWriter, r *http.Request) error {
	caller, err := s.Available(r.Context())
	if err != nil {
		return err
	}
	one, err := described(r.Header, s.options.File)
	if err != nil {
		return err
	}
	one.ID, one.account = newID(), caller.AccountID
	if err := s.store.add(r.Context(), one, caller.Email, s.options.Quota); err != nil {
		return err
	}
	failed := s.pass(w, r.WithContext(context.WithValue(r.Context(), newKey{}, one)), s.tus.PostFile)
	if failed != nil && s.disk.received(one.ID) == 0 {
		_ = s.Delete(context.WithoutCancel(r.Context()), []string{one.ID})
	}
	return failed
}

// serve passes a request about an upload of the caller's on. The account is asked each time: the library would serve everybody.
func (s *Service) serve(w http.ResponseWriter, r *http.Request) error {
	caller, err := s.Available(r.Context())
	if err != nil {
		return err
	}
	id := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	one, err := s.store.get(r.Context(), caller.AccountID, id)
	if err != nil {
		return err
	}
	w.Header().Set("Upload-Expires", one.ExpiresAt.Format(http.TimeFormat))
	r = r.Clone(r.Context())
	r.URL.Path = "/" + id // all of it is the id for the library
	switch r.Method {
	case http.MethodHead:
		return s.pass(w, r, s.tus.HeadFile)
	case http.MethodPatch:
		w.Header().Set("Upload-Expires", s.options.Now().Add(lifetime).UTC().Format(http.TimeFormat))
		return s.pass(w, r, s.tus.PatchFile)
	}
	if err := s.pass(w, r, s.tus.DelFile); err != nil {
		return err
	}
	return s.Delete(context.WithoutCancel(r.Context()), []string{id})
}

// pass has the library answer a request, and returns the fault that it would answer with.
func (s *Service) pass(w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) error {
	answer := &answer{ResponseWriter: w}
	s.tus.Middleware(serve).ServeHTTP(answer, r)
	if answer.status < http.StatusBadRequest {
		return nil
	}
	for _, name := range []string{"Content-Length", "Content-Type"} {
		w.Header().Del(name)
	}
	return answer.fault()
}

// answer passes on what the library answers, except for its errors, which it writes in words of its own.
type answer struct {
	http.ResponseWriter

	status int
	said   bytes.Buffer

	mu          sync.Mutex
	interrupted bool // protected by mu, as is writing status
}

// SetReadDeadline implements what http.ResponseController asks for. The library interrupts a request with a deadline, in the background.
// Afterwards the connection is of no use: all later requests on it would look abandoned. So it ends with the answer, and what was
// answered isn't interrupted any more.
func (a *answer) SetReadDeadline(at time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.status != 0 {
		return nil
	}
	if !at.After(time.Now()) {
		a.interrupted = true
	}
	return http.NewResponseController(a.ResponseWriter).SetReadDeadline(at)
}

// Unwrap lets http.ResponseController reach the other deadlines.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	a.mu.Lock()
	a.status = status
	if a.interrupted {
		a.Header().Set("Connection", "close")
	}
	a.mu.Unlock()
	if status < http.StatusBadRequest {
		// The library says http:// or https:// by this connection, which isn't the caller's behind a proxy.
		if at, err := url.Parse(a.Header().Get("Location")); err == nil && at.Path != "" {
			a.Header().Set("Location", at.EscapedPath())
		}
		a.ResponseWriter.WriteHeader(status)
	}
}

// Write implements io.Writer.
func (a *answer) Write(text []byte) (int, error) {
	if a.status >= http.StatusBadRequest {
		return a.said.Write(text[:min(len(text), 1000)])
	}
	return a.ResponseWriter.Write(text)
}

// refusals are the library's errors by the code with which their text begins.
var refusals = map[string]struct {
	class fault.Class
	text  string
}{
	"ERR_UPLOAD_NOT_FOUND":     {fault.NotFound, "There is no such upload. It may have been used, deleted, or left for more than a week."},
	"ERR_MISMATCHED_OFFSET":    {fault.Conflict, "Upload-Offset isn't where the upload is. Ask with HEAD, and go on from there."},
	"ERR_INVALID_OFFSET":       {fault.Malformed, "Upload-Offset isn't a number of bytes."},
	"ERR_INVALID_CONTENT_TYPE": {fault.WrongMedia, "Send the bytes with Content-Type: application/offset+octet-stream."},
	"ERR_UPLOAD_SIZE_EXCEEDED": {fault.TooLarge, "That would be more bytes than the upload has. Begin another one for another file."},
	"ERR_MAX_SIZE_EXCEEDED":    {fault.TooLarge, "The file is larger than what can be uploaded at once."},
	"ERR_UNSUPPORTED_VERSION":  {fault.Malformed, "Send Tus-Resumable: 1.0.0, the version of the protocol that this server speaks."},
	"ERR_LOCK_TIMEOUT":         {fault.Conflict, "Another request is sending this upload. Try again in a moment."},
	"ERR_UPLOAD_LOCKED":        {fault.Conflict, "Another request is sending this upload. Try again in a moment."},
	"ERR_UPLOAD_INTERRUPTED":   {fault.Conflict, "Another request goes on with this upload. What has arrived stays: ask with HEAD."},
	"ERR_NOT_IMPLEMENTED":      {fault.Malformed, "Say in Upload-Length how many bytes the file has, when the upload begins: extensions of the protocol for other ways aren't offered."},
	codeFull:                   {fault.Unavailable, "The disk of this server is full. What has arrived stays: go on once its operators have made room."},
	"ERR_CONNECTION_RESET":     {fault.Malformed, "The connection broke. What has arrived stays: ask with HEAD, and go on from there."},
	"ERR_READ_TIMEOUT":         {fault.Malformed, "Nothing arrived for a minute. What has arrived stays: ask with HEAD, and go on from there."},
	"ERR_SERVER_SHUTDOWN":      {fault.Unavailable, "This server is restarting. What has arrived stays: go on in a moment."},
	"ERR_UNEXPECTED_EOF":       {fault.Malformed, "The connection broke. What has arrived stays: ask with HEAD, and go on from there."},
}

// fault returns the fault for an error of the library.
func (a *answer) fault() error {
	code, detail, _ := strings.Cut(a.said.String(), ": ")
	if known, ok := refusals[strings.TrimSpace(code)]; ok {
		return fault.New(known.class, "%s", known.text)
	}
	switch {
	case a.status == http.StatusNotFound:
		return fault.New(fault.NotFound, "%s", refusals["ERR_UPLOAD_NOT_FOUND"].text)
	case a.status < http.StatusInternalServerError:
		if a.status == http.StatusConflict {
			return fault.New(fault.Conflict, "%s", refusals["ERR_MISMATCHED_OFFSET"].text)
		}
		return fault.New(fault.Malformed, "The request isn't one of the tus protocol: %s", strings.TrimSpace(detail))
	}
	return fault.Wrap(errorText(a.said.String()), fault.Internal, "The upload couldn't be stored.")
}

// errorText is an error of the library, for the log.
type errorText string

func (e errorText) Error() string { return strings.TrimSpace(string(e)) }
