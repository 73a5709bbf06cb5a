package kept

import (
	"archive/tar"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

// Engines on other machines fetch the files of a version packed, with a token that is good for one version and one launch. It travels
// in a header: addresses end up in logs.

// PackedName is the name of the packed files of a version.
const PackedName = "files.tar"

// linkLife is how long files can be fetched after a launch was asked for, which may wait for the hub to make room.
const linkLife = 2 * time.Hour

// Link is where a session's engine fetches the files of a version.
type Link struct {
	URL   string
	Token string
	Key   string // says what they are, on every server: what an engine has kept under it is the same
}

// Link returns where a session's engine fetches the files of an address; false if they aren't kept here.
func (f *Files) Link(ctx context.Context, public, address, session string) (link Link, ok bool) {
	version, ok := catalog.ParseKept(address)
	if !ok || f == nil || f.Secret == nil || version.File != "" {
		return link, false
	}
	found, err := f.store.find(ctx, version.ID, version.Number)
	if err != nil {
		return link, false
	}
	until := strconv.FormatInt(f.trees.now().Add(linkLife).Unix(), 10)
	where := strings.TrimRight(public, "/") + catalog.KeptPath + version.ID + "/v" + strconv.Itoa(version.Number) + "/" + PackedName
	return Link{where, session + "." + until + "." + f.sign(version, session, until), version.String() + "@" + found.digest}, true
}

// sign returns the signature of a token.
func (f *Files) sign(version catalog.Kept, session, until string) string {
	mac := hmac.New(sha256.New, f.Secret)
	_, _ = mac.Write([]byte(strings.Join([]string{"kept files", version.ID, strconv.Itoa(version.Number), session, until}, "\x00")))
	return hex.EncodeToString(mac.Sum(nil))
}

// ServePacked sends the files of a version to whoever has a token for it.
func (f *Files) ServePacked(w http.ResponseWriter, r *http.Request) {
	if err := f.sendPacked(w, r); err != nil {
		http.Error(w, fault.MessageOf(err), httpapi.StatusOf(r.Context(), err))
	}
}

func (f *Files) sendPacked(w http.ResponseWriter, r *http.Request) error {
	number, err := strconv.Atoi(strings.TrimPrefix(r.PathValue("version"), "v"))
	version := catalog.Kept{ID: r.PathValue("id"), Number: number}
	token, hasToken := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	parts := strings.Split(token, ".")
	if err != nil || !hasToken || len(parts) != 3 || !hmac.Equal([]byte(parts[2]), []byte(f.sign(version, parts[0], parts[1]))) {
		return errNotKept
	}
	if until, err := strconv.ParseInt(parts[1], 10, 64); err != nil || f.trees.now().Unix() > until {
		return fault.New(fault.Forbidden, "This session's link to the files has expired. Start the session again.")
	}
	tree, err := f.trees.path(r.Context(), version)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	w.Header().Set("Content-Type", "application/x-tar")
	w.Header().Set("Cache-Control", "no-store")
	packed := tar.NewWriter(w)
	if err := errors.Join(packed.AddFS(root.FS()), packed.Close()); err != nil {
		panic(http.ErrAbortHandler) // what was sent is cut, and the hub notices
	}
	return nil
}
