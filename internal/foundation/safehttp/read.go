package safehttp

import (
	"context"
	"io"
	"net/http"
	"time"

	"cairn/internal/foundation/fault"
)

// Read reads a whole response of any status into memory.
func (c *Client) Read(ctx context.Context, request Request) (*Response, []byte, error) {
	response, err := c.Get(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response, content, err
}

// partSize is the number of bytes between two progress reports of Download.
const partSize = 256 << 10

// Download writes the file at an address to a writer and calls progress after each part, with the bytes so far and the
// total length (-1 if the source doesn't say); progress may be nil. A status other than 200 is a fault, and errors of
// the writer are returned unchanged. The caller removes what was written before a fault. The response has the headers;
// its body is closed.
func (c *Client) Download(ctx context.Context, request Request, to io.Writer, progress func(done, total int64)) (*Response, error) {
	if request.Header = request.Header.Clone(); request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Accept-Encoding", "identity") // the compressed length would say nothing about progress
	response, err := c.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if err := response.MustBeOK(); err != nil {
		return nil, err
	}
	part := make([]byte, partSize)
	for done := int64(0); ; {
		count, err := io.ReadFull(response.Body, part)
		if count > 0 {
			if _, writeErr := to.Write(part[:count]); writeErr != nil {
				return nil, writeErr
			}
			if done += int64(count); progress != nil {
				progress(done, response.Length)
			}
		}
		switch {
		case err == io.EOF, err == io.ErrUnexpectedEOF: // returned by io.ReadFull; the faults of the body have other values
			return response, nil
		case err != nil:
			return nil, err
		}
	}
}

// IsNotModified reports whether the source says that the cached copy is still valid.
func (r *Response) IsNotModified() bool { return r.Status == http.StatusNotModified }

// IsAbsent reports whether the source says that there is nothing at this address, or nothing public.
func (r *Response) IsAbsent() bool {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// MustBeOK returns a fault unless the status is 200: Unavailable for a source that limits requests or is down.
func (r *Response) MustBeOK() error {
	switch r.Status {
	case http.StatusOK:
		return nil
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		busy := fault.New(fault.Unavailable, "%s is busy (%d %s). Try again in a while.", shown(r.host), r.Status, http.StatusText(r.Status))
		busy.RetryAfter = time.Minute
		return busy
	}
	return fault.New(fault.BadUpstream, "%s answers %d %s.", shown(r.host), r.Status, http.StatusText(r.Status))
}
