package idp

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// Limits for hashes in the configuration: with more, a few sign-ins would exhaust the machine.
const (
	maxArgonMemory = 256 << 10 // KiB
	maxArgonPasses = 16
	maxBcryptCost  = 14
)

// argonHash is a parsed argon2id hash.
type argonHash struct {
	memory, passes uint32
	threads        uint8
	salt, sum      []byte
}

// HashPassword creates an argon2id hash for the configuration, in PHC form.
func HashPassword(password string) string {
	hash := argonHash{memory: 19 << 10, passes: 2, threads: 1, salt: make([]byte, 16), sum: make([]byte, 32)}
	_, _ = rand.Read(hash.salt) // never fails: the runtime aborts the program when the system has no randomness
	hash.sum = hash.derive(password)
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, hash.memory, hash.passes, hash.threads, encode(hash.salt), encode(hash.sum))
}

func (h argonHash) derive(password string) []byte {
	return argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.threads, uint32(len(h.sum)))
}

// passwordMatches reports whether a password matches a hash that checkHash accepted.
func passwordMatches(hash, password string) bool {
	if isBcrypt(hash) {
		return bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil
	}
	parsed, problem := parseArgon(hash)
	return problem == "" && subtle.ConstantTimeCompare(parsed.derive(password), parsed.sum) == 1
}

// bcryptHash matches complete bcrypt hashes.
var bcryptHash = regexp.MustCompile(`^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$`)

// otherHash matches the beginnings of hashes of other kinds: crypt's, LDAP's, and of Django and Werkzeug.
var otherHash = regexp.MustCompile(`^(?:\$[a-z0-9-]+\$|\{[A-Za-z0-9-]+\}|(?:pbkdf2|scrypt|bcrypt)[A-Za-z0-9_:]*\$|argon2\$)`)

// makeHash says where hashes come from.
const makeHash = "Make one with cairn password, and write it in quotes."

// checkHash returns what is wrong with a password hash, or "". It never repeats the hash, which may be a password.
func checkHash(hash string) string {
	switch {
	case hash == "":
		return "The password hash is missing. " + makeHash
	case isBcrypt(hash):
		switch cost, err := bcrypt.Cost([]byte(hash)); {
		case err != nil || !bcryptHash.MatchString(hash):
			return "The bcrypt hash is broken or cut off: it has 60 characters. " + makeHash
		case cost > maxBcryptCost:
			return fmt.Sprintf("The bcrypt cost is %d; at most %d is allowed. %s", cost, maxBcryptCost, makeHash)
		}
		return ""
	case strings.HasPrefix(hash, "$argon2id$"):
		_, problem := parseArgon(hash)
		return problem
	case otherHash.MatchString(hash):
		return "The password hash is neither argon2id nor bcrypt. " + makeHash
	}
	return "This isn't the hash of a password. " + makeHash
}

func isBcrypt(hash string) bool {
	return strings.HasPrefix(hash, "$2a$") || strings.HasPrefix(hash, "$2b$") || strings.HasPrefix(hash, "$2y$")
}

func parseArgon(encoded string) (argonHash, string) {
	const shape = "The argon2id hash is broken or cut off: it has the form $argon2id$v=19$m=...,t=...,p=...$salt$hash. " + makeHash
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return argonHash{}, shape
	}
	var hash argonHash
	if _, err := fmt.Sscanf(parts[3]+"\n", "m=%d,t=%d,p=%d\n", &hash.memory, &hash.passes, &hash.threads); err != nil {
		return argonHash{}, shape
	}
	var saltErr, sumErr error
	hash.salt, saltErr = base64.RawStdEncoding.DecodeString(parts[4])
	hash.sum, sumErr = base64.RawStdEncoding.DecodeString(parts[5])
	switch {
	case saltErr != nil || sumErr != nil || len(hash.salt) < 8 || len(hash.sum) < 16 || len(hash.sum) > 64:
		return argonHash{}, shape
	case hash.memory < 8 || hash.memory > maxArgonMemory || hash.passes < 1 || hash.passes > maxArgonPasses ||
		hash.threads < 1:
		return argonHash{}, fmt.Sprintf("The argon2id costs are out of bounds: m 8 to %d, t 1 to %d, p at least 1. %s",
			maxArgonMemory, maxArgonPasses, makeHash)
	}
	return hash, ""
}
