package unpack

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

// emptyZip returns the directory of a zip file of empty files, which lies behind other bytes, and its end with the number
// of records that it announces.
func emptyZip(records, nameBytes int, announced, before uint64) *bytes.Reader {
	var packed bytes.Buffer
	name := strings.Repeat("n", nameBytes)
	record := make([]byte, 46, 46+nameBytes)
	copy(record, "PK\x01\x02")
	binary.LittleEndian.PutUint16(record[28:], uint16(nameBytes))
	record = append(record, name...)
	for range records {
		packed.Write(record)
	}
	length := packed.Len()
	if announced > 0xfffe {
		end := make([]byte, zip64EndBytes)
		copy(end, "PK\x06\x06")
		binary.LittleEndian.PutUint64(end[32:], announced)
		binary.LittleEndian.PutUint64(end[40:], uint64(length))
		packed.Write(end)
		locator := make([]byte, zip64LocatorBytes)
		copy(locator, "PK\x06\x07")
		binary.LittleEndian.PutUint64(locator[8:], before+uint64(length))
		locator[16] = 1
		packed.Write(locator)
	}
	end := make([]byte, zipEndBytes)
	copy(end, "PK\x05\x06")
	binary.LittleEndian.PutUint16(end[10:], uint16(min(announced, 0xffff)))
	binary.LittleEndian.PutUint32(end[12:], uint32(length))
	packed.Write(end)
	return bytes.NewReader(packed.Bytes())
}

// distant is a file of any length that ends with a small one.
type distant struct {
	io.ReaderAt

	before int64
}

func (d distant) ReadAt(into []byte, offset int64) (int, error) {
	if offset >= d.before {
		return d.ReaderAt.ReadAt(into, offset-d.before)
	}
	count := min(int64(len(into)), d.before-offset)
	clear(into[:count])
	if count == int64(len(into)) {
		return int(count), nil
	}
	rest, err := d.ReaderAt.ReadAt(into[count:], 0)
	return int(count) + rest, err
}

func TestADirectoryThatIsTooLargeIsNotRead(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const large = 40 << 30
	small := emptyZip(1, 1, 900<<20, large)
	_, err := OpenZip(distant{small, large}, large+small.Size())
	if got := fault.MessageOf(err); got != "Its archive contains more than 1000000 files." {
		t.Errorf("many records: %v", err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("%d bytes were allocated for records that are announced", used)
	}
	// One that announces a few files and holds thousands with long names.
	lying := emptyZip(1100, 0xffff, 100, 0)
	if _, err := OpenZip(lying, lying.Size()); fault.MessageOf(err) != fault.MessageOf(errLargeDirectory) {
		t.Errorf("a directory of 72 MB: %v", err)
	}
	honest := emptyZip(70000, 10, 70000, 0)
	opened, err := OpenZip(honest, honest.Size())
	if err != nil || len(opened.File) != 70000 {
		t.Errorf("70,000 files: %v", err)
	}
}

func TestAnArchiveWithDeepFoldersIsRefused(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	_, err := archive.Create(strings.Repeat("d/", 201) + "file")
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	unpacking := New(context.Background(), Options{Most: 1 << 20})
	err = unpacking.unzip(root, bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if got := fmt.Sprint(fault.MessageOf(err)); !strings.Contains(got, "deeper than the 200") {
		t.Errorf("got %v", err)
	}
}
