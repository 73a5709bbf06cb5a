package secretscan

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// rule finds one kind of secret: a word for which the text is searched, and a check of each place where it is. The check looks at a
// limited number of bytes, so that any text takes linear time.
type rule struct {
	kind    Kind
	host    string
	word    string
	anyCase bool // the word is searched in the text in lower case
	match   func(text, lower []byte, at int) bool
}

var rules = makeRules()

func makeRules() []rule {
	rules := []rule{
		{kind: PrivateKey, word: "PRIVATE KEY", match: privateKey},
		{kind: PrivateKey, word: "PuTTY-User-Key-File-", match: func(text, _ []byte, at int) bool {
			return len(run(text[at+len("PuTTY-User-Key-File-"):], hex, 1)) == 1
		}},
		{kind: PrivateKey, word: "AGE-SECRET-KEY-1", match: func(text, _ []byte, at int) bool { return isRandom(run(text[at+16:], upperOrDigit, 100)) }},
		{kind: JWT, word: "eyJ", match: webToken},
		{kind: PasswordInAddress, word: "://", match: address},
		{kind: PasswordInAddress, word: "curl ", match: curl},
		{kind: GenericSecret, word: "bearer ", anyCase: true, match: func(text, _ []byte, at int) bool {
			return isRandom(run(text[at+len("bearer "):], dotted, 300))
		}},
	}
	for _, word := range []string{"secret", "token", "passw", "passphrase", "pwd", "key"} {
		rules = append(rules, rule{kind: GenericSecret, word: word, anyCase: true, match: assignment})
	}
	for _, one := range forms {
		rules = append(rules, rule{kind: Token, host: one.host, word: one.prefix, match: func(text, _ []byte, at int) bool { return one.match(text, at) }})
	}
	return rules
}

// each yields the places of a word in a text, and ends with the context.
func each(ctx context.Context, text []byte, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from, count := 0, 0; ; count++ {
			if count%1024 == 0 && ctx.Err() != nil {
				return
			}
			at := bytes.Index(text[from:], []byte(word))
			if at < 0 || !yield(from+at) {
				return
			}
			from += at + len(word)
		}
	}
}

// privateKey matches the first line of a key if something like a key follows: programs that look for keys have such a line too.
func privateKey(text, _ []byte, at int) bool {
	if !bytes.Contains(text[max(0, at-40):at], []byte("-----BEGIN ")) {
		return false
	}
	for rest := text[at:min(len(text), at+400)]; len(rest) > 0; {
		line := run(rest, base64Letters, len(rest))
		if len(line) >= 40 && isRandom(line) {
			return true
		}
		rest = rest[max(1, len(line)):]
	}
	return false
}

// webToken matches a JSON web token that names how it is signed.
func webToken(text, _ []byte, at int) bool {
	if !startsWord(text, at) {
		return false
	}
	parts := bytes.Split(run(text[at:], dotted, 8192), []byte("."))
	if len(parts) < 3 || len(parts[1]) < 10 || len(parts[2]) < 10 || len(parts[0]) > 2048 {
		return false
	}
	var header struct{ Alg string }
	decoded, err := base64.RawURLEncoding.DecodeString(string(parts[0]))
	return err == nil && json.Unmarshal(decoded, &header) == nil && header.Alg != "" && entropy(parts[2]) >= 3
}

// address matches the password after a name and before the host of an address.
func address(text, _ []byte, at int) bool {
	rest := text[at+3 : min(len(text), at+320)]
	if end := bytes.IndexAny(rest, " \t\r\n\"'`<>/?#\\,|"); end >= 0 {
		rest = rest[:end]
	}
	last := max(bytes.LastIndexByte(rest, '@'), 0)
	user, password, _ := bytes.Cut(rest[:last], []byte(":"))
	host := rest[last:]
	return len(host) > 1 && !isPlaceholder(host) && !bytes.Equal(user, password) && isPassword(password)
}

var curlUser = regexp.MustCompile(`\s(?:-u|--user)[ =]?["']?[^\s:"']+:([^\s"'\\]{3})`)

// curl matches the password for one call of curl. Each line is searched once, up to the next call.
func curl(text, _ []byte, at int) bool {
	line := text[at+len("curl") : min(len(text), at+1000)]
	for _, end := range []string{"\n", "curl "} {
		line, _, _ = bytes.Cut(line, []byte(end))
	}
	place := curlUser.FindSubmatchIndex(line)
	if place == nil {
		return false
	}
	password := line[place[2]:]
	if end := bytes.IndexAny(password, " \t\"'\\"); end >= 0 {
		password = password[:end]
	}
	return isPassword(password)
}

// assigned is what follows a name that was found up to its last word, in lower case: the end of the name, a sign that gives it a value,
// and a quote if there is one.
var assigned = regexp.MustCompile(`^(?:secret|token|key|pwd|passphrase|passw(?:or)?d)\\?["'\]]*[ \t]*(?:: ?str(?:ing)? ?)?(?::=|=>|<-|[:=])[ \t]*(\\?["'` + "`" + `])?`)

// keys are the first words of names that end in "key" and are secrets.
var keys = strings.Fields("api access account auth private secret signing encryption master app storage subscription license")

// publicTokens are first words of names that end in "token" and are no secrets: places in lists, and protection of forms.
var publicTokens = strings.Fields("page next csrf xsrf continuation sync authenticity")

// assignment matches a name such as api_key or password with a value that looks like a secret.
func assignment(text, lower []byte, at int) bool {
	head := assigned.FindSubmatchIndex(lower[at:min(len(lower), at+64)])
	if head == nil {
		return false
	}
	first := strings.TrimRight(string(lower[max(0, at-16):at]), "_-. ")
	endsIn := func(word string) bool { return strings.HasSuffix(first, word) }
	word := lower[at:]
	if bytes.HasPrefix(word, []byte("key")) && !slices.ContainsFunc(keys, endsIn) || slices.ContainsFunc(publicTokens, endsIn) {
		return false
	}
	value := text[at+head[1] : min(len(text), at+head[1]+300)]
	quoted := head[2] >= 0
	ends := " \t\r\n\"'`;&,"
	if quoted {
		ends = string(lower[at+head[3]-1]) + "\n\\"
	}
	end := bytes.IndexAny(value, ends)
	switch {
	case end >= 0:
		value = value[:end]
	case len(value) == 300:
		return false
	}
	if word[0] == 'p' {
		isName := !quoted && (len(value) < 8 || digitGroups(value) == 0 || bytes.Contains(lowerASCII(value), []byte("passw")))
		return len(value) >= 6 && isPassword(value) && hasLetterAndOther(value) && !isName
	}
	return len(run(value, base64Letters, len(value))) == len(value) && isRandom(value)
}
