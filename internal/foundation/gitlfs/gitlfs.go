// Package gitlfs reads files of Git repositories that Git LFS keeps elsewhere: a repository has a small text in the place of
// each, its pointer, and the repository's host says where the object with the file's content is.
//
// https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md and docs/api/batch.md there.
package gitlfs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

// Pointer names an object.
type Pointer struct {
	OID  string // SHA-256 in hexadecimal
	Size int64  // bytes
}

const (
	pointerBegin = "version https://git-lfs.github.com/spec/"
	// PointerBytes is more than a pointer has.
	PointerBytes = 1_024
)

var pointerLines = regexp.MustCompile(`^version https://git-lfs\.github\.com/spec/v1\r?\noid sha256:([0-9a-f]{64})\r?\nsize ([0-9]{1,18})\r?\n?$`)

// IsPointer reports whether a content is what stands in a repository for a file in Git LFS.
func IsPointer(content []byte) bool {
	return len(content) <= PointerBytes && bytes.HasPrefix(content, []byte(pointerBegin)) && bytes.Contains(content, []byte("\noid "))
}

// ParsePointer reads a pointer. It isn't ok for one of another version or digest, or one whose object is the
// output of an extension.
func ParsePointer(content []byte) (pointer Pointer, ok bool) {
	if !IsPointer(content) {
		return Pointer{}, false
	}
	found := pointerLines.FindSubmatch(content)
	if found == nil {
		return Pointer{}, false
	}
	size, err := strconv.ParseInt(string(found[2]), 10, 64)
	return Pointer{OID: string(found[1]), Size: size}, err == nil
}

// Object is where a host has the content of a pointer, for a while.
type Object struct {
	Pointer

	href   string
	header http.Header
}

const (
	batchLength = 100 // of pointers, which is what hosts take at once
	batchBytes  = 1 << 20
	mediaType   = "application/vnd.git-lfs+json"

	// objectTime bounds the download of one object, and stallTime how long nothing of it may come.
	objectTime = time.Hour
	stallTime  = 30 * time.Second
)

// Locate asks the host of a repository, at the address it is cloned from, where objects are. What the host doesn't have, or
// doesn't give to strangers, isn't in the answer.
func Locate(ctx context.Context, web *safehttp.Client, repository string, pointers []Pointer) (map[string]Object, error) {
	found := map[string]Object{}
	for begin := 0; begin < len(pointers); begin += batchLength {
		if err := locate(ctx, web, repository, pointers[begin:min(begin+batchLength, len(pointers))], found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// object is an object in requests and answers.
type object struct {
	OID     string            `json:"oid"`
	Size    int64             `json:"size"`
	Actions map[string]action `json:"actions,omitempty"`
}

type action struct {
	Href   string            `json:"href"`
	Header map[string]string `json:"header"`
}

func locate(ctx context.Context, web *safehttp.Client, repository string, pointers []Pointer, found map[string]Object) error {
	wanted := map[string]Pointer{}
	asked := struct {
		Operation string   `json:"operation"`
		Transfers []string `json:"transfers"`
		Objects   []object `json:"objects"`
	}{Operation: "download", Transfers: []string{"basic"}}
	for _, one := range pointers {
		if _, twice := wanted[one.OID]; !twice {
			wanted[one.OID] = one
			asked.Objects = append(asked.Objects, object{OID: one.OID, Size: one.Size})
		}
	}
	question, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	response, body, err := web.Read(ctx, safehttp.Request{
		Address: strings.TrimSuffix(strings.TrimSuffix(repository, "/"), ".git") + ".git/info/lfs/objects/batch",
		Header:  http.Header{"Accept": {mediaType}, "Content-Type": {mediaType}}, Post: question, MaxBytes: batchBytes,
	})
	if err != nil {
		return err
	}
	if err := response.MustBeOK(); err != nil {
		return err
	}
	var answer struct {
		Transfer string   `json:"transfer"`
		Objects  []object `json:"objects"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fault.Wrap(err, fault.BadUpstream, "The repository's host doesn't say where its files in Git LFS are.")
	}
	if answer.Transfer != "" && answer.Transfer != "basic" {
		return nil
	}
	for _, one := range answer.Objects {
		pointer, known := wanted[one.OID]
		download, there := one.Actions["download"]
		if !known || !there {
			continue
		}
		header := http.Header{}
		for name, value := range download.Header {
			header.Set(name, value)
		}
		found[one.OID] = Object{pointer, download.Href, header}
	}
	return nil
}

// Download writes the content of an object, and reports how many bytes have come; progress may be nil. BadUpstream if the host sends
// something else: the caller removes what was written.
func Download(ctx context.Context, web *safehttp.Client, from Object, to io.Writer, progress func(done int64)) error {
	digest := sha256.New()
	_, err := web.Download(ctx, safehttp.Request{
		Address: from.href, Header: from.header, MaxBytes: from.Size, Timeout: objectTime, Stall: stallTime,
	}, io.MultiWriter(to, digest), func(done, _ int64) {
		if progress != nil {
			progress(done)
		}
	})
	if err != nil {
		return err
	}
	if hex.EncodeToString(digest.Sum(nil)) != from.OID {
		return fault.New(fault.BadUpstream, "The repository's host sends something else than the file in Git LFS.")
	}
	return nil
}
