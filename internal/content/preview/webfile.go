package preview

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cairn/internal/foundation/diskcache"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

// webFiles fetches files that entries name by web addresses. Pages never load them directly: that would reveal to a
// third party who looks at what. The server fetches each file once for all readers and caches it on disk for a while.
type webFiles struct {
	options webFileOptions
	cache   *diskcache.Cache[fileInfo]

	fetching singleflight.Group // by address
	slots    chan struct{}      // limits concurrent fetches
	running  context.Context    //nolint:containedctx // fetches outlive the request that started them, and end with the server
	stop     context.CancelFunc
	closing  sync.Once

	failed *lru.Cache[string, fetchFailure] // by address
}

// webFileOptions configure what is fetched, how long it is valid, and how long its readers wait.
type webFileOptions struct {
	Client *safehttp.Client
	Folder string // for the files; anything else in it is removed
	Now    func() time.Time
	Logger *slog.Logger

	Accept   string        // media types, for the source
	MaxBytes int64         // of a file
	Room     int64         // bytes on disk
	Timeout  time.Duration // of a fetch

	Fresh    time.Duration // after this the source is asked again
	Stale    time.Duration // how long a file is shown while its source doesn't answer
	Wait     time.Duration // how long a reader waits without a file; 0: until the fetch ends
	Patience time.Duration // how long a reader waits with an older file; 0: not at all
	Retry    time.Duration // from a failure to the next fetch without a file
	RetryOld time.Duration // the same with one

	// Check checks an answer, beside which there may be a copy of an earlier one. Readers get its fault; NotFound means that
	// the source has removed its file, so that an older copy is no longer shown.
	Check func(response *safehttp.Response, content []byte, copied fileInfo) (fileInfo, error)
}

const (
	webFetches  = 8      // at once, of one kind of files
	webFailures = 10_000 // remembered at once
)

type fetchFailure struct {
	err error
	at  time.Time
}

// fileInfo is what the cache stores about a file beside its content.
type fileInfo struct {
	Format       string   `json:"format"`
	ETag         string   `json:"etag,omitempty"`
	LastModified string   `json:"lastModified,omitempty"`
	Page         *webPage `json:"page,omitempty"` // instead of a notebook, without content
}

// webFile is a cached file from the web. It must be closed.
type webFile struct {
	*diskcache.Item[fileInfo]

	Failure error // why it is older than it should be; nil otherwise
}

func openWebFiles(ctx context.Context, options webFileOptions) (*webFiles, error) {
	cache, err := diskcache.Open[fileInfo](options.Folder, options.Room)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The folder %s for copies of files of the web cannot be used.", options.Folder)
	}
	failed, err := lru.New[string, fetchFailure](webFailures)
	if err != nil {
		return nil, err
	}
	f := &webFiles{options: options, cache: cache, slots: make(chan struct{}, webFetches), failed: failed}
	f.running, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	return f, nil
}

// close ends the fetches under way and waits for them.
func (f *webFiles) close() {
	f.closing.Do(func() {
		f.stop()
		for range cap(f.slots) {
			f.slots <- struct{}{}
		}
	})
}

// open returns the file at an address, as fresh as the options ask for, or else as old as they allow. Problems of the
// source are faults of Check and safehttp; Internal means that this server can't store the file.
func (f *webFiles) open(ctx context.Context, address string) (*webFile, error) {
	file := f.cached(address)
	if f.isFresh(file) {
		return file, nil
	}
	err := f.failure(address, file != nil)
	if err == nil {
		var fetched bool
		if fetched, err = f.await(ctx, address, file != nil); fetched {
			if newer := f.cached(address); newer != nil {
				if file != nil {
					_ = file.Close()
				}
				file = newer
			}
		}
	}
	switch {
	case file == nil && err == nil:
		return nil, errDropped
	case file == nil:
		return nil, err
	case err != nil && fault.KindOf(err) == fault.NotFound:
		_ = file.Close()
		return nil, err
	}
	file.Failure = err
	return file, nil
}

// latest returns the file at an address as its source has it now, however new the copy is. Its faults are those of open.
func (f *webFiles) latest(ctx context.Context, address string) (*webFile, error) {
	// Not together with fetches of readers: one of those may have begun before the file was changed.
	ended := f.fetching.DoChan("latest "+address, func() (any, error) { return nil, f.fetch(address) })
	select {
	case result := <-ended:
		if result.Err != nil {
			return nil, result.Err
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if file := f.cached(address); file != nil {
		return file, nil
	}
	return nil, errDropped
}

// errDropped says that the file was evicted as soon as it was there.
var errDropped = fault.New(fault.Unavailable, "The file was fetched but has already been dropped, because too many are requested at once. Try again.")

// await fetches, together with all others who want the same file, and waits as long as a reader does. It reports
// whether the fetch ended meanwhile, and its error.
func (f *webFiles) await(ctx context.Context, address string, hasOld bool) (fetched bool, err error) {
	ended := f.fetching.DoChan(address, func() (any, error) {
		if file := f.cached(address); file != nil { // a fetch may have ended since this reader looked
			defer file.Close()
			if f.isFresh(file) {
				return nil, nil
			}
		}
		return nil, f.fetch(address)
	})
	wait := f.options.Wait
	if hasOld {
		if wait = f.options.Patience; wait == 0 {
			return false, nil
		}
	}
	var late <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case result := <-ended:
		return true, result.Err
	case <-late:
		slow := fault.New(fault.SourceReading, "Its source is slow to answer. It's still being fetched: try again in a moment.")
		slow.RetryAfter = time.Second // a retry waits for the same fetch
		return false, slow
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (f *webFiles) isFresh(file *webFile) bool {
	return file != nil && f.options.Now().Sub(file.Checked) < f.options.Fresh
}

// cached returns the cached file of an address if it may still be shown.
func (f *webFiles) cached(address string) *webFile {
	item := f.cache.Get(address)
	if item == nil {
		return nil
	}
	if f.options.Now().Sub(item.Checked) > f.options.Stale {
		_ = item.Close()
		return nil
	}
	return &webFile{Item: item}
}

// failure returns why the address couldn't be fetched a moment ago.
func (f *webFiles) failure(address string, hasOld bool) error {
	found, _ := f.failed.Get(address)
	pause := f.options.Retry
	if hasOld {
		pause = f.options.RetryOld
	}
	if found.err != nil && f.options.Now().Sub(found.at) < pause {
		return found.err
	}
	return nil
}

// fetch brings the file at an address into the cache, or remembers why not.
func (f *webFiles) fetch(address string) error {
	select {
	case f.slots <- struct{}{}:
	case <-f.running.Done():
		return f.running.Err()
	}
	defer func() { <-f.slots }()
	err := f.ask(address)
	if f.running.Err() != nil {
		return f.running.Err()
	}
	if err != nil && fault.KindOf(err) == fault.Internal {
		f.options.Logger.Error("a file of the web cannot be kept", "folder", f.options.Folder, "error", err)
	}
	if err == nil {
		f.failed.Remove(address)
	} else {
		f.failed.Add(address, fetchFailure{err, f.options.Now()})
	}
	return err
}

// ask fetches an address, or learns from its source that the cached file is still current.
func (f *webFiles) ask(address string) error {
	header := map[string][]string{"Accept": {f.options.Accept}}
	var known fileInfo
	if item := f.cache.Get(address); item != nil {
		known = item.About
		_ = item.Close()
	}
	if known.ETag != "" {
		header["If-None-Match"] = []string{known.ETag}
	}
	if known.LastModified != "" {
		header["If-Modified-Since"] = []string{known.LastModified}
	}
	response, content, err := f.options.Client.Read(f.running, safehttp.Request{
		Address: address, MaxBytes: f.options.MaxBytes, Timeout: f.options.Timeout, Header: header,
	})
	if err != nil {
		return err
	}
	now := f.options.Now()
	if response.IsNotModified() && len(header) > 1 {
		return f.cache.Touch(address, now)
	}
	found, err := f.options.Check(response, content, known)
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			_ = f.cache.Delete(address) // at worst it is still there at the next restart
		}
		return err
	}
	found.ETag, found.LastModified = response.Header.Get("ETag"), response.Header.Get("Last-Modified")
	if found.Page != nil {
		content = nil
	}
	return f.cache.Put(address, found, content, now)
}
