package httpapi

import (
	"encoding/base64"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"cairn/internal/foundation/fault"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// Downloads that callers without an account have at once: all of them together, and those of one address.
const (
	strangersDownloads = 128
	addressDownloads   = 16
)

// Download is a file that is sent as it is. It is closed when it was sent.
type Download struct {
	io.ReadSeeker
	io.Closer

	Name, Kind string    // Kind is its media type
	Tag        string    // an ETag that changes with the content; "" for none
	Modified   time.Time // zero: unknown
	Digest     []byte    // SHA-256 of the whole file; nil for none
}

// Send answers with a file, or the part of it that a Range names, as Stream does.
func (api *API) Send(file Download, err error) (*huma.StreamResponse, error) {
	if err != nil {
		return nil, err
	}
	return api.Stream(func() { _ = file.Close() }, func(w http.ResponseWriter, r *http.Request) error {
		Attach(w.Header(), file.Name, file.Kind)
		if file.Tag != "" {
			w.Header().Set("ETag", file.Tag)
		}
		ServeFile(&digestResponse{w, file.Digest}, r, file.Modified, file)
		return nil
	}), nil
}

// Stream answers with what write writes, while the client keeps reading, and calls done in any case. An error of write cuts the
// connection, so that nobody takes a part for the whole. Callers without an account share their downloads: 503 while there are
// too many.
func (api *API) Stream(done func(), write func(w http.ResponseWriter, r *http.Request) error) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer done()
		request, writer := humachi.Unwrap(ctx)
		if !api.options.SignedIn(ctx.Context()) {
			end, err := api.strangers.begin(ClientNetwork(request.RemoteAddr), sharedAddress(request.Context()))
			if err != nil {
				writeFault(writer, request, err)
				return
			}
			defer end()
		}
		patient := NewPatientWriter(writer, Patience)
		if err := write(&patientResponse{writer, patient}, request); err != nil {
			panic(http.ErrAbortHandler)
		}
		patient.Done()
	}}
}

// ServeFile answers with content, or the part of it that a Range names. Only the ETag that the answer has decides whether a client
// has that content, or a part of it: a date doesn't, since a file can change twice in a second, or be replaced by an older one.
// Without an ETag the content is sent whole, so that nobody joins parts of two states.
func ServeFile(w http.ResponseWriter, r *http.Request, modified time.Time, content io.ReadSeeker) {
	if !modified.IsZero() && modified.Unix() > 0 {
		w.Header().Set("Last-Modified", modified.UTC().Format(http.TimeFormat))
	}
	if w.Header().Get("ETag") == "" {
		r = r.Clone(r.Context())
		for _, name := range []string{"Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"} {
			r.Header.Del(name)
		}
		w = &wholeResponse{w}
	}
	http.ServeContent(w, r, "", time.Time{}, content)
}

// wholeResponse is an answer of which no parts can be asked for.
type wholeResponse struct{ http.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (r *wholeResponse) WriteHeader(status int) {
	r.Header().Set("Accept-Ranges", "none")
	r.ResponseWriter.WriteHeader(status)
}

// Attach makes an answer a download: whatever a file pretends to be, it is shown on no page and runs nothing.
func Attach(header http.Header, name, kind string) {
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// strangers are the downloads of callers without an account. The zero value has none.
type strangers struct {
	// mu guards the fields below.
	mu        sync.Mutex
	all       int
	byAddress map[string]int
}

// begin counts a download until done is called, or returns why it must wait. An address may stand for many people.
func (s *strangers) begin(address string, shared bool) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= strangersDownloads || !shared && s.byAddress[address] >= addressDownloads {
		busy := fault.New(fault.Unavailable, "Too many files are being downloaded by people who aren't signed in. Try again in a moment, or sign in.")
		busy.RetryAfter = 10 * time.Second
		return nil, busy
	}
	if s.byAddress == nil {
		s.byAddress = map[string]int{}
	}
	s.all++
	s.byAddress[address]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.byAddress[address]--; s.byAddress[address] == 0 {
			delete(s.byAddress, address)
		}
	}, nil
}

// patientResponse is an answer whose body is written patiently.
type patientResponse struct {
	http.ResponseWriter

	body io.Writer
}

// Write implements io.Writer.
func (r *patientResponse) Write(data []byte) (int, error) { return r.body.Write(data) }

// digestResponse is an answer that has the digest if it is whole: there, who saves the body can check it.
type digestResponse struct {
	http.ResponseWriter

	digest []byte
}

// WriteHeader implements http.ResponseWriter.
func (r *digestResponse) WriteHeader(status int) {
	if status == http.StatusOK && r.digest != nil {
		r.Header().Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(r.digest)+":")
	}
	r.ResponseWriter.WriteHeader(status)
}
