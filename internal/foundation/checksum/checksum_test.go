package checksum_test

import (
	"errors"
	"strings"
	"testing"

	"cairn/internal/foundation/checksum"
)

func TestWriter(t *testing.T) {
	t.Parallel()
	// The digests are those of coreutils for the three bytes abc.
	for digest, want := range map[string]error{
		"":                                     nil,
		"md5:900150983cd24fb0d6963f7d28e17f72": nil,
		"md5:900150983CD24FB0D6963F7D28E17F72": nil,
		"sha1:a9993e364706816aba3e25717850c26c9cd0d89d":                                                                                           nil,
		"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad":                                                                 nil,
		"sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f": nil,
		"md5:00000000000000000000000000000000":                                                                                                    checksum.ErrDigest,
	} {
		for size, expected := range map[int64]error{-1: want, 3: want, 2: checksum.ErrSize, 4: checksum.ErrSize} {
			w, err := checksum.New(size, digest)
			if err != nil {
				t.Fatal(err)
			}
			_, err = strings.NewReader("abc").WriteTo(w)
			if err == nil {
				err = w.Check()
			}
			if !errors.Is(err, expected) {
				t.Errorf("%q of %d bytes: %v, want %v", digest, size, err, expected)
			}
		}
	}
	for _, digest := range []string{"crc32:352441c2", "md5", "md5:", ":900150983cd24fb0d6963f7d28e17f72"} {
		if _, err := checksum.New(3, digest); !errors.Is(err, checksum.ErrUnknown) {
			t.Errorf("%q: %v", digest, err)
		}
	}
}
