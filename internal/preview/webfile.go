package preview

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cairn/internal/diskcache"
	"cairn/internal/fault"
	"cairn/internal/safehttp"

	"golang.org/x/sync/singleflight"
)

// webFiles fetches files that entries name by web addresses. Pages never load from there themselves: that would tell a
// stranger who looks at what. The server fetches each file once for a while, for all who ask, and keeps it on disk.
type webFiles struct {
	options webFileOptions
	cache   *diskcache.Cache[fileInfo]

	fetching singleflight.Group // by address
	slots    chan struct{}      // bounds the fetches under way
	running  context.Context    //nolint:containedctx // fetches outlive the request that began them, and end with the server
	stop     context.CancelFunc
	closing  sync.Once

	mutex  sync.Mutex
	failed map[string]fetchFailure // by address
}

// webFileOptions say what is fetched, how long it is good, and how long its readers wait.
type webFileOptions struct {
	Client *safehttp.Client
	Folder string // for the files; what else lies there is removed
	Now    func() time.Time
	Logger *slog.Logger

	Accept   string        // media types, for the source
	MaxBytes int64         // of a file
	Room     int64         // bytes on disk
	Timeout  time.Duration // of a fetch

	Fresh    time.Duration // then the source is asked again
	Stale    time.Duration // how long a file is shown whose source does not answer
	Wait     time.Duration // of a reader while there is no file; 0: until the fetch ends
	Patience time.Duration // of a reader who can have an older file; 0: none
	Retry    time.Duration // from a failure to the next fetch while there is no file
	RetryOld time.Duration // the same while there is one

	// Check looks at an answer. Its fault is what readers are told; NotFound means that the source took its file back,
	// so that an older copy is shown no more.
	Check func(response *safehttp.Response, content []byte) (format string, err error)
}

const (
	webFetches  = 8      // at once, of one kind of files
	webFailures = 10_000 // remembered at once
)

type fetchFailure struct {
	err error
	at  time.Time
}

// fileInfo is what the cache knows about a file beside its content.
type fileInfo struct {
	Format       string `json:"format"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"lastModified,omitempty"`
}

// webFile is a file of the web as it is kept here. It has to be closed.
type webFile struct {
	*diskcache.Item[fileInfo]

	Failure error // why it is older than it should be; nil while it is not
}

func openWebFiles(ctx context.Context, options webFileOptions) (*webFiles, error) {
	cache, err := diskcache.Open[fileInfo](options.Folder, options.Room)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The folder %s for copies of files of the web cannot be used.", options.Folder)
	}
	f := &webFiles{options: options, cache: cache, slots: make(chan struct{}, webFetches), failed: map[string]fetchFailure{}}
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

// open returns the file at an address, as fresh as the options ask for, or else as old as they allow. What the source does
// is told by the fault of Check and those of safehttp; Internal means that this server cannot keep the file.
func (f *webFiles) open(ctx context.Context, address string) (*webFile, error) {
	file := f.cached(address)
	if file != nil && f.options.Now().Sub(file.Checked) < f.options.Fresh {
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
	case file == nil && err == nil: // somebody else has just made room
		return nil, fault.New(fault.Unavailable, "The file was fetched and is gone again: too many are asked for at once. Try again.")
	case file == nil:
		return nil, err
	case err != nil && fault.KindOf(err) == fault.NotFound:
		_ = file.Close()
		return nil, err
	}
	file.Failure = err
	return file, nil
}

// await fetches, with all others who want the same, and waits as long as a reader does. It reports whether the fetch
// ended meanwhile, and how.
func (f *webFiles) await(ctx context.Context, address string, hasOld bool) (fetched bool, err error) {
	ended := f.fetching.DoChan(address, func() (any, error) { return nil, f.fetch(address) })
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
		slow := fault.New(fault.SourceReading, "Its source takes long to answer. It is still being fetched: try again in a moment.")
		slow.RetryAfter = time.Second // who comes back waits for the same fetch
		return false, slow
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// cached returns the file of an address if there is one that may still be shown.
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

// failure is why the address could not be fetched a moment ago.
func (f *webFiles) failure(address string, hasOld bool) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	found := f.failed[address]
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
	f.mutex.Lock()
	defer f.mutex.Unlock()
	delete(f.failed, address)
	if err == nil {
		return nil
	}
	if len(f.failed) >= webFailures {
		clear(f.failed) // somebody makes them faster than they pass: asking again is the lesser evil
	}
	f.failed[address] = fetchFailure{err, f.options.Now()}
	return err
}

// ask fetches an address, or learns from its source that what is kept of it still holds.
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
	format, err := f.options.Check(response, content)
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			_ = f.cache.Delete(address) // at worst it is still there at the next restart
		}
		return err
	}
	found := fileInfo{Format: format, ETag: response.Header.Get("ETag"), LastModified: response.Header.Get("Last-Modified")}
	return f.cache.Put(address, found, content, now)
}
