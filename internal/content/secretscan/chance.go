package secretscan

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// alphabet is a set of bytes.
type alphabet [256]bool

const (
	digits       = "0123456789"
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters      = lowerLetters + upperLetters + digits
)

var (
	hex           = makeAlphabet(digits + "abcdefABCDEF")
	upperOrDigit  = makeAlphabet(upperLetters + digits)
	alphanumeric  = makeAlphabet(letters)
	urlSafe       = makeAlphabet(letters + "_-")
	dotted        = makeAlphabet(letters + "_-.")
	slashed       = makeAlphabet(letters + "/")
	base64Letters = makeAlphabet(letters + "_-+/=")
)

func makeAlphabet(of string) *alphabet {
	var set alphabet
	for _, one := range []byte(of) {
		set[one] = true
	}
	return &set
}

// run returns the bytes of an alphabet with which a text begins, at most a number of them.
func run(text []byte, of *alphabet, most int) []byte {
	n := 0
	for n < min(len(text), most) && of[text[n]] {
		n++
	}
	return text[:n]
}

// lowerASCII returns a copy whose places are those of the text, which isn't so for letters beyond ASCII.
func lowerASCII(text []byte) []byte {
	lower := slices.Clone(text)
	for i, one := range lower {
		if 'A' <= one && one <= 'Z' {
			lower[i] = one + 'a' - 'A'
		}
	}
	return lower
}

// entropy returns Shannon's, in bits for each byte.
func entropy(text []byte) float64 {
	var counts [256]int
	for _, one := range text {
		counts[one]++
	}
	bits := 0.0
	for _, count := range counts {
		if count > 0 {
			share := float64(count) / float64(len(text))
			bits -= share * math.Log2(share)
		}
	}
	return bits
}

// digitGroups counts the numbers in a text. Names that people choose seldom have two, and random texts have many.
func digitGroups(text []byte) int {
	groups, before := 0, false
	for _, one := range text {
		digit := '0' <= one && one <= '9'
		if digit && !before {
			groups++
		}
		before = digit
	}
	return groups
}

func hasLetterAndOther(text []byte) bool {
	count := 0
	for _, one := range text {
		if lower := one | 0x20; 'a' <= lower && lower <= 'z' {
			count++
		}
	}
	return 0 < count && count < len(text)
}

// isRandom reports whether a value is long and disorderly enough for one that a program drew.
func isRandom(value []byte) bool {
	least := 3.5
	if len(run(value, hex, len(value))) == len(value) {
		least = 3.2 // 16 letters have less to give
	}
	groups := digitGroups(value)
	mixed := bytes.ContainsAny(value, lowerLetters) && bytes.ContainsAny(value, upperLetters)
	return len(value) >= 16 && (groups >= 3 || groups == 2 && mixed) && hasLetterAndOther(value) && entropy(value) >= least && !isPlaceholder(value)
}

// placeholders are in values that stand for one that the reader has to put in.
var placeholders = strings.Fields(`example your xxxx placeholder changeme change_me change-me insert redacted dummy sample replace fake_ todo foobar
	0123456 1234567 abcdef **** ....`)

func isPlaceholder(value []byte) bool {
	lower := string(lowerASCII(value))
	return slices.ContainsFunc(placeholders, func(word string) bool { return strings.Contains(lower, word) })
}

// plainWords are passwords of documentation and of databases that only their own machine reaches.
var plainWords = strings.Fields(`pass passwd password pw pwd secret user username test guest token postgres root admin foo bar changeme mypassword my_password
	my-password none null true false`)

// isPassword reports whether a text can be a password that a person chose: no placeholder, no name of a variable and no path, which
// PWD stands for in shells.
func isPassword(value []byte) bool {
	return len(value) >= 3 && !bytes.ContainsAny(value, "${}<>()[] \t") && bytes.IndexByte([]byte("%=/~"), value[0]) < 0 && strings.Trim(string(value), "*.x_") != "" &&
		!slices.Contains(plainWords, strings.ToLower(string(value))) && !isPlaceholder(value)
}
