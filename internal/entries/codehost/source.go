package codehost

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/diskcache"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"

	"golang.org/x/sync/singleflight"
)

// refusalBytes is how long an answer of any other status than 200 may be.
const refusalBytes = 64 << 10

const (
	askTime    = 8 * time.Second
	fresh      = 5 * time.Minute    // the host is asked again after this
	freshFault = time.Minute        // the same for paths that don't exist
	usable     = 7 * 24 * time.Hour // how long an old answer is shown while the host can't be asked

	// usableUnasked is how long an answer is shown to those who don't wait for the host: what was withdrawn there soon
	// disappears here.
	usableUnasked = time.Hour
)

// source is one service of a host, below one address: its API, or its raw files.
type source struct {
	base    string // without a slash at the end
	name    string // of the host, for messages
	header  http.Header
	budget  *budget
	client  *safehttp.Client
	cache   *Cache
	timeout time.Duration
	now     func() time.Time
	logger  *slog.Logger
	asking  singleflight.Group
	isToken bool // a token of this server goes with each question
	isJSON  bool // its answers are JSON

	// hides is whether the host refuses what it doesn't show with 403, and whether what it redirects to elsewhere isn't its own. GitHub does
	// neither.
	hides   bool
	counter Counter

	account string // whose token it is, and who alone is shown what is read; "": everybody
	refused func() // is called when the host doesn't take the account's token; nil: nobody wants to know
}

// key is where an answer is in the cache. Answers for one account are never those for another, or for everybody.
func (s *source) key(address string) string {
	if s.account == "" {
		return address
	}
	return "as " + s.account + " " + address
}

// Cache holds answers of code hosts. Several hosts may share one.
type Cache = diskcache.Cache[answerInfo]

// answerInfo is what the cache stores about an answer beside its body.
type answerInfo struct {
	Status int    `json:"status"`
	ETag   string `json:"etag,omitempty"`
}

// OpenCache opens a cache of at most limit bytes in a folder.
func OpenCache(folder string, limit int64) (*Cache, error) {
	cache, err := diskcache.Open[answerInfo](folder, limit)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The folder %s for answers of code hosts cannot be used.", folder)
	}
	return cache, nil
}

// kept is an answer in the cache, or one to be cached.
type kept struct {
	status  int
	tag     string
	checked time.Time
	body    []byte
}

// cached returns the cached answer for an address.
func (s *source) cached(address string) (kept, bool) {
	item := s.cache.Get(s.key(address))
	if item == nil {
		return kept{}, false
	}
	defer item.Close()
	body, err := io.ReadAll(item)
	return kept{item.About.Status, item.About.ETag, item.Checked, body}, err == nil
}

// answer is a 200 from a source.
type answer struct {
	Age

	body []byte
}

// get returns the answer for a path: from the cache while it is fresh (at most maxAge old), else from the host, else
// from the cache, marked Stale. In an offline context the host isn't asked. NotFound when there is nothing at the path.
func (s *source) get(ctx context.Context, path string, maxBytes int64, maxAge time.Duration) (answer, error) {
	address := s.base + path
	known, ok := s.cached(address)
	age := s.now().Sub(known.checked)
	if ok && age < maxAge && (known.status == http.StatusOK || age < freshFault) {
		return s.read(known, maxBytes, false)
	}
	usableNow := ok && maxAge > 0 && age < usable && known.status == http.StatusOK && s.account == "" // rights may have ended
	if safehttp.IsOffline(ctx) {
		if usableNow && age < usableUnasked {
			return s.read(known, maxBytes, true)
		}
		return answer{}, s.late()
	}
	asked := s.asking.DoChan(address, func() (any, error) {
		return s.ask(context.WithoutCancel(ctx), address, maxBytes, known)
	})
	select {
	case result := <-asked:
		found, isAnswer := result.Val.(kept)
		switch kind := fault.KindOf(result.Err); {
		case result.Err == nil && isAnswer:
			return s.read(found, maxBytes, false)
		case usableNow && kind != fault.TooLarge:
			return s.read(known, maxBytes, true)
		}
		return answer{}, result.Err
	case <-ctx.Done():
		switch {
		case !errors.Is(ctx.Err(), context.DeadlineExceeded):
			return answer{}, ctx.Err()
		case usableNow:
			return s.read(known, maxBytes, true)
		}
		return answer{}, s.late()
	}
}

// file returns the answer for a path like get. With a maxAge of 0 it comes from the host itself: a query makes it a different address for
// caches on the way.
func (s *source) file(ctx context.Context, path string, maxBytes int64, maxAge time.Duration) (answer, error) {
	if maxAge > 0 {
		return s.get(ctx, path, maxBytes, maxAge)
	}
	query := "?fresh="
	if strings.Contains(path, "?") {
		query = "&fresh="
	}
	found, err := s.send(ctx, s.base+path+query+rand.Text(), maxBytes, "")
	if err != nil {
		return answer{}, err
	}
	return s.read(found, maxBytes, false)
}

// errElsewhere is in the fault of a redirect that isn't followed.
var errElsewhere = errors.New("a redirect that isn't believed")

var errLegal = errors.New("unavailable for legal reasons")

// unreachable returns the fault for a missing or incomplete answer, including redirects into private networks. The
// cause is logged once per question, and not as a failure of this server.
func (s *source) unreachable(ctx context.Context, maxBytes int64, err error) error {
	kind := fault.KindOf(err)
	switch kind {
	case fault.TooLarge:
		return tooLarge(maxBytes)
	case fault.Unavailable, fault.BadUpstream:
	case fault.Invalid:
		kind = fault.BadUpstream
	default:
		return err
	}
	s.logger.WarnContext(ctx, "a code host cannot be asked", "host", s.name, "error", err)
	failed := unreachable(err, s.name)
	failed.Kind = kind
	failed.Code, failed.RetryAfter = fault.CodehostUnavailable, busyTime
	return failed
}

// unreachable returns the fault for a host that can't be reached.
func unreachable(err error, host string) *fault.Fault {
	return fault.Wrap(err, fault.CodehostUnavailable, "%s can't be reached from this server right now. Its repositories need the internet, and may be back in a while.", host)
}

func (s *source) late() error {
	late := fault.New(fault.CodehostUnavailable, "%s takes too long to answer.", s.name)
	late.RetryAfter = busyTime
	return late
}

// read turns a cached answer into an answer or a fault.
func (s *source) read(known kept, maxBytes int64, stale bool) (answer, error) {
	switch {
	case known.status == http.StatusUnavailableForLegalReasons:
		return answer{}, fault.Wrap(errLegal, fault.NotFound, "%s doesn't show this for legal reasons.", s.name)
	case known.status != http.StatusOK:
		return answer{}, nothing(s.name)
	case int64(len(known.body)) > maxBytes:
		return answer{}, tooLarge(maxBytes)
	}
	return answer{Age: Age{AsOf: known.checked, Stale: stale}, body: known.body}, nil
}

// ask asks the host and caches its answer.
func (s *source) ask(ctx context.Context, address string, maxBytes int64, known kept) (kept, error) {
	found, err := s.send(ctx, address, maxBytes, known.tag)
	if err != nil {
		return kept{}, err
	}
	if s.isJSON && found.status == http.StatusOK && !sameShape(found.body, known.body) {
		return kept{}, s.nonsense(errors.New("another shape"))
	}
	if found.status == http.StatusNotModified {
		known.checked = found.checked
		err = s.cache.Touch(s.key(address), found.checked)
		found = known
	} else {
		err = s.cache.Put(s.key(address), answerInfo{found.status, found.tag}, found.body, found.checked)
	}
	if err != nil { // the answer is still good
		s.logger.ErrorContext(ctx, "an answer of a code host cannot be kept", "error", err)
	}
	return found, nil
}

// sameShape reports whether an answer can take the place of an earlier one, which may be nil: an object that has more than a message, or a list.
func sameShape(now, before []byte) bool {
	var object map[string]json.RawMessage
	var list []json.RawMessage
	isObject, isList := json.Unmarshal(now, &object) == nil && object != nil, json.Unmarshal(now, &list) == nil && list != nil
	if before = bytes.TrimSpace(before); len(before) > 0 {
		isObject, isList = isObject && before[0] == '{', isList && before[0] == '['
	}
	_, isMessage := object["message"]
	return isList || isObject && (!isMessage || len(object) > 1)
}

// send asks the host and ignores the cache. "Not there" is an answer, with its status.
func (s *source) send(ctx context.Context, address string, maxBytes int64, tag string) (kept, error) {
	if err := s.budget.take(askerOf(ctx), s.now()); err != nil {
		return kept{}, err
	}
	header := maps.Clone(s.header)
	if tag != "" {
		header.Set("If-None-Match", tag)
	}
	response, body, err := s.client.Read(ctx, safehttp.Request{
		Address: address, Header: header, MaxBytes: max(maxBytes, refusalBytes), Timeout: s.timeout, Stall: s.timeout,
	})
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		s.count(0, nil)
		return kept{}, s.late()
	}
	if err != nil {
		s.count(0, nil)
		return kept{}, s.unreachable(ctx, maxBytes, err)
	}
	s.count(response.Status, response.Header)
	if err := s.budget.note(response.Status, response.Header, string(body[:min(len(body), 1_000)]), s.now()); err != nil {
		return kept{}, err
	}
	if s.hides {
		if !sameOrigin(response.Address, address) || !s.isJSON && !samePath(response.Address, address) {
			return kept{}, fault.Wrap(errElsewhere, fault.BadUpstream, "%s redirects to another page.", s.name)
		}
		if response.Status == http.StatusForbidden && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) { // otherwise it may be a page of a proxy
			response.Status = http.StatusNotFound
		}
	}
	found := kept{status: response.Status, tag: response.Header.Get("ETag"), checked: s.now()}
	switch status := response.Status; {
	case status == http.StatusOK && s.isJSON && !json.Valid(body): // such as a page that wants to know whether somebody looks at it
		return kept{}, s.nonsense(errors.New("not JSON"))
	case status == http.StatusOK:
		found.body = body
		return found, nil
	case status == http.StatusNotModified && tag != "":
		return found, nil
	case status == http.StatusNotFound, status == http.StatusGone, status == http.StatusUnavailableForLegalReasons,
		status == http.StatusConflict: // an empty repository
		found.tag = ""
		return found, nil
	case status == http.StatusUnauthorized && s.account != "":
		if s.refused != nil {
			s.refused()
		}
		return kept{}, fault.New(fault.NotConnected, "%s no longer accepts your connection. Connect it again in your account's settings.", s.name)
	case status == http.StatusUnauthorized && s.isToken:
		s.logger.ErrorContext(ctx, "the code host does not accept this server's token", "host", s.name)
		return kept{}, fault.New(fault.BadUpstream, "%s doesn't accept this server's token. Tell the operators.", s.name)
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		return kept{}, fault.New(fault.BadUpstream, "%s refused this server's request (%d).", s.name, status)
	case status >= http.StatusInternalServerError:
		down := fault.New(fault.CodehostUnavailable, "%s can't answer at the moment (%d %s).", s.name, status, http.StatusText(status))
		down.RetryAfter = busyTime
		return kept{}, down
	default:
		return kept{}, fault.New(fault.BadUpstream, "%s answers %d %s.", s.name, status, http.StatusText(status))
	}
}

// host is the host name of the service.
func (s *source) host() string {
	parsed, err := url.Parse(s.base)
	if err != nil {
		return s.base
	}
	return parsed.Host
}

// samePath reports whether two addresses have the same path: a file isn't elsewhere, and a page to sign in isn't a file.
func samePath(one, other string) bool {
	first, err := url.Parse(one)
	second, otherErr := url.Parse(other)
	return err == nil && otherErr == nil && first.Path == second.Path
}

// sameOrigin reports whether two addresses are of one server, of which a proxy may have lost that it is https.
func sameOrigin(one, other string) bool {
	first, err := url.Parse(one)
	second, otherErr := url.Parse(other)
	return err == nil && otherErr == nil && hostOf(first) == hostOf(second)
}

// count tells whoever counts about an answer; status 0: none came.
func (s *source) count(status int, header http.Header) {
	if s.counter == nil {
		return
	}
	host := s.host()
	remaining, err := strconv.Atoi(header.Get("X-RateLimit-Remaining"))
	if err == nil {
		s.counter.Remaining(host, remaining)
	}
	outcome := "refused"
	switch {
	case status == 0, status >= http.StatusInternalServerError:
		outcome = "unreachable"
	case status == http.StatusOK:
		outcome = "ok"
	case status == http.StatusNotModified:
		outcome = "unchanged"
	case status == http.StatusNotFound, status == http.StatusGone, status == http.StatusUnavailableForLegalReasons, status == http.StatusConflict:
		outcome = "missing"
	case status == http.StatusTooManyRequests, status == http.StatusForbidden && err == nil && remaining == 0:
		outcome = "limited"
	}
	s.counter.Asked(host, outcome)
}

// escaped joins elements to a path.
func escaped(elements ...string) string {
	var path strings.Builder
	for _, element := range elements {
		path.WriteString("/" + url.PathEscape(element))
	}
	return path.String()
}

// ErrLarge is in the fault of a file that is larger than asked for. A repository may be too large as well.
var ErrLarge = errors.New("a large file")

func tooLarge(maxBytes int64) error {
	return fault.Wrap(ErrLarge, fault.TooLarge, "The file is too large: the limit is %s.", humanize.Bytes(maxBytes))
}
