package catalog

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/raster"
	"cairn/internal/safehttp"

	"golang.org/x/sync/singleflight"
)

// HeaderImages shows the pictures that entries name by web addresses. Pages never load from there themselves: that would
// tell a stranger who looks at what. The server fetches each picture once for a while and keeps it on disk.
type HeaderImages struct {
	options HeaderImageOptions
	key     []byte
	cache   *imageCache

	fetching singleflight.Group // by address
	slots    chan struct{}      // bounds the fetches under way
	running  context.Context    //nolint:containedctx // fetches outlive the request that began them, and end with the server
	stop     context.CancelFunc
	closing  sync.Once

	mutex  sync.Mutex
	failed map[string]imageFailure // by address
}

// HeaderImageOptions are what HeaderImages needs.
type HeaderImageOptions struct {
	Client  *safehttp.Client
	Folder  string        // for the pictures; what else lies there is removed
	Timeout time.Duration // of a fetch; 0: 10 s
	Now     func() time.Time
	Logger  *slog.Logger
}

// Limits of pictures.
const (
	imageBytes     = 5_000_000
	imageTime      = 10 * time.Second
	imageFetches   = 8                  // at once
	imageFresh     = time.Hour          // then the source is asked again, while the old picture is shown
	imageStale     = 7 * 24 * time.Hour // then it is shown no more
	imageRetry     = 2 * time.Minute    // after a failure
	imageFailures  = 10_000             // remembered at once
	imageCacheSize = 500_000_000        // bytes on disk
)

type imageFailure struct {
	err   error
	until time.Time
}

// NewHeaderImages opens the cache. The key of the signatures is the same for all servers on one database.
func NewHeaderImages(ctx context.Context, store *Store, options HeaderImageOptions) (*HeaderImages, error) {
	cache, err := openImageCache(options.Folder, imageCacheSize)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The folder %s for pictures cannot be used.", options.Folder)
	}
	key, err := store.signingKey(ctx, "header-image-key")
	if err != nil {
		return nil, err
	}
	if options.Timeout == 0 {
		options.Timeout = imageTime
	}
	h := &HeaderImages{
		options: options, key: key, cache: cache,
		slots: make(chan struct{}, imageFetches), failed: map[string]imageFailure{},
	}
	h.running, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	return h, nil
}

// Close ends the fetches under way and waits for them.
func (h *HeaderImages) Close() error {
	h.closing.Do(func() {
		h.stop()
		for range cap(h.slots) {
			h.slots <- struct{}{}
		}
	})
	return nil
}

// ShowHeaderImages makes the service serve pictures and tell their addresses; without it entries have none.
func (s *Service) ShowHeaderImages(images *HeaderImages) { s.images = images }

// hasHeaderImage tells whether an entry names a picture; others carry a placeholder's name or nothing.
func hasHeaderImage(r Resource) bool {
	begin := strings.ToLower(r.HeaderImage[:min(len(r.HeaderImage), len("https://"))])
	return strings.HasPrefix(begin, "http://") || begin == "https://"
}

// HeaderImage is a picture as it is served.
type HeaderImage struct {
	File *os.File // to be closed by the caller
	Size int64    // in bytes
	MIME string
	Tag  string // changes with the content
}

// open gives the picture of an entry that the caller may see; NotFound when there is none that can be shown.
func (h *HeaderImages) open(ctx context.Context, r Resource) (*HeaderImage, error) {
	if h == nil || !hasHeaderImage(r) {
		return nil, fault.New(fault.NotFound, "This entry has no header image.")
	}
	image, age := h.cached(r.HeaderImage)
	if image != nil && age < imageFresh {
		return image, nil
	}
	err := h.failure(r.HeaderImage)
	if err == nil {
		fetched := h.fetching.DoChan(r.HeaderImage, func() (any, error) { return nil, h.fetch(r.HeaderImage) })
		if image == nil {
			select {
			case result := <-fetched:
				err = result.Err
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	if image == nil && err == nil {
		image, _ = h.cached(r.HeaderImage)
	}
	switch {
	case image != nil:
		return image, nil
	case err == nil, fault.KindOf(err) == fault.Internal:
		return nil, fault.Wrap(err, fault.Internal, "The header image of this entry cannot be kept on this server. Tell the operators.")
	default: // what a foreign server does is no failure of this one
		return nil, fault.Wrap(err, fault.NotFound, "The header image of this entry cannot be shown. %s", fault.MessageOf(err))
	}
}

// cached gives the picture of an address if it is there and may be shown, and how old it is.
func (h *HeaderImages) cached(address string) (*HeaderImage, time.Duration) {
	now := h.options.Now()
	known, ok := h.cache.find(address, now)
	age := now.Sub(known.fetched)
	if !ok || age > imageStale {
		return nil, 0
	}
	file, err := os.Open(h.cache.path(known))
	if err != nil {
		return nil, 0 // another request has just made room
	}
	return &HeaderImage{File: file, Size: known.size, MIME: raster.Kinds()[known.format].MIME, Tag: `"` + known.digest + `"`}, age
}

// failure is why the address could not be fetched a moment ago.
func (h *HeaderImages) failure(address string) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	found := h.failed[address]
	if found.err != nil && h.options.Now().Before(found.until) {
		return found.err
	}
	return nil
}

// fetch brings the picture at an address into the cache, or remembers why not.
func (h *HeaderImages) fetch(address string) error {
	select {
	case h.slots <- struct{}{}:
	case <-h.running.Done():
		return h.running.Err()
	}
	defer func() { <-h.slots }()
	response, content, err := h.options.Client.Read(h.running, safehttp.Request{
		Address: address, MaxBytes: imageBytes, Timeout: h.options.Timeout,
		Header: map[string][]string{"Accept": {"image/webp, image/png, image/jpeg, image/gif"}},
	})
	if err == nil {
		err = response.MustBeOK()
	}
	format := ""
	if err == nil {
		if format, err = raster.Check(content); err != nil {
			err = fault.Wrap(err, fault.Invalid, "What its address leads to %s", fault.MessageOf(err))
		}
	}
	if err == nil {
		err = h.cache.put(address, format, content, h.options.Now())
	}
	if h.running.Err() != nil {
		return h.running.Err()
	}
	if err != nil && fault.KindOf(err) == fault.Internal {
		h.options.Logger.Error("a header image cannot be kept", "error", err)
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	delete(h.failed, address)
	if err == nil {
		return nil
	}
	if len(h.failed) >= imageFailures {
		clear(h.failed) // somebody makes them faster than they pass: asking again is the lesser evil
	}
	h.failed[address] = imageFailure{err, h.options.Now().Add(imageRetry)}
	return err
}
