package archives

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // the archives' own checksum
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

const (
	answerBytes = 8 << 20
	askTime     = time.Minute     // for a question; archives take their time to publish
	stallTime   = 2 * time.Minute // without a byte of an upload
	digestTime  = 10 * time.Minute
	busyTime    = time.Minute // until asking again makes sense
	mostWait    = 24 * time.Hour
)

// web asks an archive.
type web struct {
	base, label string
	ask         *http.Client // follows no redirect, so that a token and a description go to no other server
	send        *http.Client // likewise, with no limit but those of upload
}

func newWeb(archive Archive, client *safehttp.Client) *web {
	return &web{archive.URL, archive.Label, client.Plain(askTime), client.Plain(0)}
}

// session asks an archive for a person.
type session struct {
	*web

	token string
}

// answer is what an archive said, with a status below 500 that isn't about the token or a limit.
type answer struct {
	status int
	body   []byte
	label  string
}

// call sends a value as JSON; nil: nothing.
func (s session) call(ctx context.Context, method, path string, value any) (answer, error) {
	var content io.Reader
	if value != nil {
		text, err := json.Marshal(value)
		if err != nil {
			return answer{}, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.base+path, content)
	if err != nil {
		return answer{}, err
	}
	if value != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return s.do(s.ask, request)
}

// get asks for something and decodes it.
func (s session) get(ctx context.Context, path string, into any) error {
	found, err := s.call(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return found.decode(into)
}

// change asks for a change and decodes the answer, unless into is nil.
func (s session) change(ctx context.Context, method, path string, value, into any) error {
	found, err := s.call(ctx, method, path, value)
	if err != nil {
		return err
	}
	if into == nil {
		return found.refusal()
	}
	return found.decode(into)
}

// put uploads a file.
func (s session) put(ctx context.Context, path string, content *upload) (answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	content.stall = time.AfterFunc(stallTime, func() { cancel(s.unavailable(errors.New("no byte for a while"), busyTime)) })
	defer content.stall.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, s.base+path, content)
	if err != nil {
		return answer{}, err
	}
	if request.ContentLength = content.size; content.size == 0 {
		request.Body = http.NoBody
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	return s.do(s.send, request)
}

func (s session) do(client *http.Client, request *http.Request) (answer, error) {
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := client.Do(request) //nolint:gosec // operators chose the archive, and ids and names are escaped
	if err != nil {
		return answer{}, s.unreachable(request.Context(), err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerBytes+1))
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return answer{}, fault.New(fault.NotConnected, "%s doesn't accept your connection for this. Connect it again in your account's settings.", s.label)
	case status == http.StatusTooManyRequests:
		return answer{}, s.limited(response.Header)
	case status >= http.StatusInternalServerError:
		return answer{}, s.unavailable(errors.New(response.Status), busyTime)
	case status >= http.StatusMultipleChoices && status < http.StatusBadRequest:
		return answer{}, fault.New(fault.BadUpstream, "%s redirects to another address, which gets no token. The operators should correct the archive's URL.", s.label)
	case err != nil:
		return answer{}, s.unreachable(request.Context(), err)
	case len(body) > answerBytes:
		return answer{}, fault.New(fault.BadUpstream, "%s sent too long an answer.", s.label)
	}
	return answer{response.StatusCode, body, s.label}, nil
}

// unreachable returns the caller's own end, or the fault for an answer that didn't come.
func (s session) unreachable(ctx context.Context, err error) error {
	if ended := context.Cause(ctx); ended != nil {
		return ended
	}
	if found, ok := errors.AsType[*fault.Fault](err); ok && found.Kind == fault.Invalid { // safehttp doesn't visit it
		return found
	}
	return s.unavailable(err, busyTime)
}

func (s session) unavailable(cause error, wait time.Duration) error {
	down := fault.Wrap(cause, fault.Unavailable, "%s can't be reached from this server right now, or can't answer. Try again in a while.", s.label)
	down.RetryAfter = wait
	return down
}

// limited reads how long to wait: seconds, or the time of the archive's X-RateLimit-Reset.
func (s session) limited(header http.Header) error {
	wait := busyTime
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil {
		if reset, resetErr := strconv.ParseInt(header.Get("X-Ratelimit-Reset"), 10, 64); resetErr == nil {
			seconds = int(min(time.Until(time.Unix(reset, 0)), mostWait) / time.Second)
		}
	}
	if seconds > 0 {
		wait = min(time.Duration(min(seconds, int(mostWait/time.Second)))*time.Second, mostWait)
	}
	limited := fault.New(fault.Unavailable, "%s limits how often this server may ask. Try again in a while.", s.label)
	limited.RetryAfter = wait
	return limited
}

// decode reads an answer that says yes.
func (a answer) decode(into any) error {
	if err := a.refusal(); err != nil {
		return err
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		return fault.Wrap(err, fault.BadUpstream, "%s sent an answer that can't be read.", a.label)
	}
	return nil
}

// problems are the errors in an answer: those of the whole, and of fields.
type problems struct {
	Message string    `json:"message"`
	Errors  []problem `json:"errors"`
}

type problem struct {
	Field    string   `json:"field"`
	Message  string   `json:"message"`
	Messages []string `json:"messages"`
}

const (
	mostProblems   = 20
	problemLetters = 300
)

// fields returns the errors of fields, wherever the archive has put them.
func (a answer) fields() []fault.Field {
	var found problems
	_ = json.Unmarshal(a.body, &found) // what can't be read names no field
	var fields []fault.Field
	for _, one := range found.Errors[:min(len(found.Errors), mostProblems)] {
		field := plain(one.Field)
		if !strings.Contains(field, ".") {
			field = "metadata." + cmp.Or(field, "_schema")
		}
		fields = append(fields, fault.Field{Location: field, Message: plain(cmp.Or(one.Message, strings.Join(one.Messages, " ")))})
	}
	return fields
}

// refusal returns the fault for an answer that says no; nil for one that says yes.
func (a answer) refusal() error {
	if a.status < http.StatusMultipleChoices {
		return nil
	}
	switch a.status {
	case http.StatusNotFound, http.StatusGone:
		return fault.New(fault.NotFound, "%s doesn't have this deposit, or no longer.", a.label)
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.TooLarge, "This is more than %s takes.", a.label)
	}
	if fields := a.fields(); len(fields) > 0 {
		return fault.InvalidFields(fields)
	}
	kind := fault.Invalid
	if a.status == http.StatusConflict {
		kind = fault.Conflict
	}
	var said problems
	_ = json.Unmarshal(a.body, &said) // then it says nothing
	if said.Message = plain(said.Message); said.Message == "" {
		said.Message = "status " + strconv.Itoa(a.status)
	}
	return fault.New(kind, "%s refuses this: %s", a.label, strings.TrimSuffix(said.Message, ".")+".")
}

// isMissing reports whether there is nothing at an address.
func isMissing(err error) bool { return fault.KindOf(err) == fault.NotFound }

// plain makes one short line of a text of another server.
func plain(text string) string {
	letters := []rune(strings.Join(strings.Fields(printable(text)), " "))
	return string(letters[:min(len(letters), problemLetters)])
}

// segment escapes an element of a path.
func segment(text string) string { return "/" + url.PathEscape(text) }

// upload reads a file while it is sent.
type upload struct {
	content io.Reader
	size    int64
	stall   *time.Timer // ends the upload when nothing is read for a while; nil until it begins

	mu   sync.Mutex // an archive may answer while the file is still being read
	sum  hash.Hash  // protected by mu
	read int64      // protected by mu
	err  error      // why it can't be read; protected by mu
}

func newUpload(content io.Reader, size int64) *upload {
	return &upload{content: content, size: size, sum: md5.New()} //nolint:gosec // likewise
}

// digest returns the checksum of what was read, and why no more could be.
func (u *upload) digest() (md5 string, failed error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return hex.EncodeToString(u.sum.Sum(nil)), u.err
}

// Read implements io.Reader.
func (u *upload) Read(part []byte) (int, error) {
	count, err := u.content.Read(part)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.read += int64(count)
	_, _ = u.sum.Write(part[:count]) // never fails
	u.stall.Reset(stallTime)
	if u.read >= u.size {
		u.stall.Reset(digestTime) // in which the archive makes its checksum
	}
	switch {
	case err != nil && err != io.EOF: //nolint:errorlint // readers return io.EOF itself
		u.err = err
	case err == io.EOF && u.read < u.size, u.read > u.size: //nolint:errorlint // likewise
		err = fault.New(fault.Conflict, "The file changed while it was sent: it doesn't have %d bytes.", u.size)
		u.err = err
	}
	return count, err
}
