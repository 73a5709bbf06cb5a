package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"cairn/internal/raster"
)

// imageCache keeps pictures as files of one folder, at most limit bytes of them: those that were not asked for longest
// make room. A file's name says which address it is from and what is in it, its time when it was fetched, so a start
// needs no other record.
type imageCache struct {
	folder string
	limit  int64

	mutex sync.Mutex
	files map[string]cachedImage // by digest of the address
	total int64
}

type cachedImage struct {
	address, digest, format string // digests of the address and of the content
	size                    int64
	fetched, used           time.Time
}

var cachedImageName = regexp.MustCompile(`^([0-9a-f]{32})-([0-9a-f]{32})\.([a-z]+)$`)

func digestOf(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:16])
}

func (c *imageCache) path(image cachedImage) string {
	return filepath.Join(c.folder, image.address+"-"+image.digest+"."+image.format)
}

func openImageCache(folder string, limit int64) (*imageCache, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	c := &imageCache{folder: folder, limit: limit, files: map[string]cachedImage{}}
	found, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, file := range found {
		info, err := file.Info()
		if err != nil {
			return nil, err
		}
		image := cachedImage{size: info.Size(), fetched: info.ModTime(), used: info.ModTime()}
		parts := cachedImageName.FindStringSubmatch(file.Name())
		if parts != nil {
			image.address, image.digest, image.format = parts[1], parts[2], parts[3]
		}
		_, known := raster.Kinds()[image.format]
		if older, twice := c.files[image.address]; twice && older.fetched.After(image.fetched) {
			known = false
		}
		if !known { // half a file of a server that was killed
			if err := os.RemoveAll(filepath.Join(folder, file.Name())); err != nil {
				return nil, err
			}
			continue
		}
		if err := c.replace(image); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// find gives the picture of an address, and notes that it was asked for.
func (c *imageCache) find(address string, now time.Time) (cachedImage, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	key := digestOf([]byte(address))
	image, ok := c.files[key]
	if ok {
		image.used = now
		c.files[key] = image
	}
	return image, ok
}

// put writes a picture down, whole or not at all.
func (c *imageCache) put(address, format string, content []byte, now time.Time) error {
	image := cachedImage{
		address: digestOf([]byte(address)), digest: digestOf(content), format: format, size: int64(len(content)), fetched: now, used: now,
	}
	file, err := os.CreateTemp(c.folder, ".new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	err = cmp.Or(err, file.Close(), os.Chtimes(file.Name(), now, now))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err == nil {
		err = os.Rename(file.Name(), c.path(image))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return c.replace(image)
}

// replace makes a written picture the one of its address, and room when there is too much.
func (c *imageCache) replace(image cachedImage) error {
	older, twice := c.files[image.address]
	c.files[image.address] = image
	c.total += image.size
	var err error
	if twice {
		c.total -= older.size
		if c.path(older) != c.path(image) {
			err = os.Remove(c.path(older))
		}
	}
	for c.total > c.limit && err == nil {
		var oldest cachedImage
		for _, other := range c.files {
			if oldest.address == "" || other.used.Before(oldest.used) {
				oldest = other
			}
		}
		delete(c.files, oldest.address)
		c.total -= oldest.size
		err = os.Remove(c.path(oldest))
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
