package plaintext_test

import (
	"testing"

	"cairn/internal/foundation/plaintext"
)

func TestTextsOfAnyEncodingAreRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ raw, text, encoding string }{
		"plain":                     {"six\r\nnumpy\n", "six\nnumpy\n", plaintext.UTF8},
		"UTF-8 with a mark":         {"\ufeffMüller", "Müller", plaintext.UTF8},
		"UTF-16 of PowerShell":      {"\xff\xfes\x00i\x00x\x00\r\x00\n\x00", "six\n", plaintext.UTF16},
		"UTF-16 in the other order": {"\xfe\xff\x00s\x00i\x00x", "six", plaintext.UTF16},
		"half a character":          {"\xff\xfes\x00i", "s", plaintext.UTF16},
		"UTF-32":                    {"\xff\xfe\x00\x00s\x00\x00\x00", "s", plaintext.UTF32},
		"UTF-32 in the other order": {"\x00\x00\xfe\xff\x00\x00\x00s", "s", plaintext.UTF32},
		"Latin-1":                   {"M\xfcller", "Müller", plaintext.Windows},
		"an old Mac":                {"a\rb", "a\nb", plaintext.UTF8},
	} {
		if text, encoding, ok := plaintext.Decode([]byte(test.raw), true); !ok || string(text) != test.text || encoding != test.encoding {
			t.Errorf("%s: %q in %s, %v", name, text, encoding, ok)
		}
	}
	for name, raw := range map[string]string{"a picture": "\x89PNG\r\n\x00\x01", "zeros in UTF-16": "\xff\xfea\x00\x00\x00b\x00", "compressed": "\x1f\x8b\x08\xff\x02", "UTF-16 without a mark": "s\x00i\x00x\x00"} {
		if text, _, ok := plaintext.Decode([]byte(raw), true); ok {
			t.Errorf("%s is text: %q", name, text)
		}
	}
	if text, _, _ := plaintext.Decode([]byte("a\xc3"), false); string(text) != "a" {
		t.Errorf("A text that goes on is %q", text)
	}
}
