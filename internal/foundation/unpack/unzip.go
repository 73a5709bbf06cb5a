package unpack

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"
)

// directoryLimit is the maximum size of a zip file's directory, in bytes. In memory it takes about four times as much.
const directoryLimit = 64 << 20

var (
	errTooManyEntries = fault.New(fault.Unavailable, "Its archive contains more than %d files.", EntryLimit)
	errLargeDirectory = fault.New(fault.Unavailable, "The list of files in its archive is larger than %s.", humanize.Bytes(directoryLimit))
)

// OpenZip opens a zip file whose directory is small enough for memory.
func OpenZip(file io.ReaderAt, length int64) (*zip.Reader, error) {
	records, err := zipRecords(file, length)
	if err != nil {
		return nil, err
	}
	if records > EntryLimit { // memory for them is allocated before the first is read
		return nil, errTooManyEntries
	}
	limited := &limitedReaderAt{file: file, left: directoryLimit}
	archive, err := zip.NewReader(limited, length)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, err
	}
	limited.opened = true
	return archive, nil
}

// limitedReaderAt limits the bytes read until the zip file is open. The end of the file may lie about its directory,
// which is read as long as there are records.
type limitedReaderAt struct {
	file   io.ReaderAt
	left   int64
	opened bool
}

func (r *limitedReaderAt) ReadAt(into []byte, offset int64) (int, error) {
	if !r.opened {
		if r.left -= int64(len(into)); r.left < 0 {
			return 0, errLargeDirectory
		}
	}
	return r.file.ReadAt(into, offset)
}

// The records at the end of a zip file.
const (
	zipEndBytes, zip64LocatorBytes, zip64EndBytes = 22, 20, 56
	zipCommentBytes                               = 1<<16 - 1
)

// zipRecords returns the number of records that the end of a zip file claims.
func zipRecords(file io.ReaderAt, length int64) (uint64, error) {
	tail := make([]byte, min(length, zipCommentBytes+zipEndBytes+zip64LocatorBytes))
	if _, err := file.ReadAt(tail, length-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	var most uint64
	// Programs differ in which of several ends they use, so the largest number counts.
	for at := bytes.LastIndex(tail, []byte("PK\x05\x06")); at >= 0; at = bytes.LastIndex(tail[:at], []byte("PK\x05\x06")) {
		if len(tail)-at < zipEndBytes {
			continue
		}
		most = max(most, uint64(binary.LittleEndian.Uint16(tail[at+10:])))
		if at < zip64LocatorBytes || !bytes.HasPrefix(tail[at-zip64LocatorBytes:], []byte("PK\x06\x07")) {
			continue
		}
		end := make([]byte, zip64EndBytes)
		offset := binary.LittleEndian.Uint64(tail[at-zip64LocatorBytes+8:])
		if offset > uint64(length) {
			continue
		}
		if _, err := file.ReadAt(end, int64(offset)); err == nil && bytes.HasPrefix(end, []byte("PK\x06\x06")) {
			most = max(most, binary.LittleEndian.Uint64(end[32:]))
		}
	}
	return most, nil
}
