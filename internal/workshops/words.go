package workshops

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"math/big"
	"strings"

	"github.com/sethvargo/go-diceware/diceware"
)

// wordsInCode makes 41 bits of 1,296 words, of which a minute's tries from a thousand addresses find nothing within the hours of a workshop.
const wordsInCode = 4

// newCode returns some words that people can read aloud and type on a phone.
func newCode() string {
	words, err := diceware.GenerateWithWordList(wordsInCode, diceware.WordListEffSmall())
	if err != nil {
		panic(err) // never: the source doesn't fail
	}
	return strings.Join(words, " ")
}

// newKey returns what follows /join/ in an address: short, since it says nothing without the code, and without letters that look alike.
func newKey() string {
	const letters = "abcdefghjkmnpqrstuvwxyz23456789"
	var key strings.Builder
	for range 7 {
		at, err := rand.Int(rand.Reader, big.NewInt(int64(len(letters))))
		if err != nil {
			panic(err) // never: the source doesn't fail
		}
		key.WriteByte(letters[at.Int64()])
	}
	return key.String()
}

// isCode reports whether a text is a code, whatever case and signs it was typed with. It takes the same time for every text of a length.
func isCode(text, code string) bool {
	return subtle.ConstantTimeCompare([]byte(lettersOf(text)), []byte(lettersOf(code))) == 1
}

// digestOf returns what is stored of the code of a seat.
func digestOf(seat, code string) string {
	sum := sha256.Sum256([]byte(seat + " " + lettersOf(code)))
	return hex.EncodeToString(sum[:])
}
