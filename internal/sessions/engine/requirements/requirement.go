package requirements

import (
	"regexp"
	"slices"
	"strings"
)

// requirement is one package that a repository asks for by name. Options, addresses and paths would bring in things
// that the key of the cache doesn't name: another repository with the same lines must not get this one's code.
type requirement struct {
	name     string
	extras   []string
	versions []string // such as >=1.0
	marker   []string // its words
	hashes   []string // such as sha256:0a
}

// String returns the line that pip reads. It only contains what was parsed, in ASCII, on one line.
func (r requirement) String() string {
	words := []string{r.name}
	if len(r.extras) > 0 {
		words[0] += "[" + strings.Join(r.extras, ",") + "]"
	}
	words[0] += strings.Join(r.versions, ",")
	if len(r.marker) > 0 {
		words = append(append(words, ";"), r.marker...)
	}
	for _, hash := range r.hashes {
		words = append(words, "--hash="+hash)
	}
	return strings.Join(words, " ")
}

// The parts of a line, from the grammars of PEP 508 and PEP 440.
const (
	namePiece    = `[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`
	firstPiece   = `v?(?:[0-9]+!)?[0-9]+`
	numberPiece  = firstPiece + `(?:\.[0-9]+)*`
	suffixPiece  = `(?:[-_.]?(?:alpha|beta|preview|pre|a|b|c|rc)[-_.]?[0-9]*)?(?:-[0-9]+|[-_.]?(?:post|rev|r)[-_.]?[0-9]*)?(?:[-_.]?dev[-_.]?[0-9]*)?`
	localPiece   = `(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?`
	versionPiece = numberPiece + suffixPiece
)

var (
	nameStart    = regexp.MustCompile(`^` + namePiece)
	extrasStart  = regexp.MustCompile(`^\[ *(?:` + namePiece + ` *(?:, *` + namePiece + ` *)*)?\]`)
	versionStart = regexp.MustCompile(`(?i)^(?:(?:==|!=) *(?:` + numberPiece + `\.\*|` + versionPiece + localPiece + `)|(?:<=|>=|<|>) *` + versionPiece +
		`|~= *` + firstPiece + `(?:\.[0-9]+)+` + suffixPiece + `)`)
	hashStart  = regexp.MustCompile(`^--hash=(sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})(?: +|$)`)
	markerWord = regexp.MustCompile(`^(?:[a-z_]+|"[A-Za-z0-9_.+!*-]*"|'[A-Za-z0-9_.+!*-]*'|<=|>=|==|!=|~=|<|>|\(|\))`)
)

// longestRequirement is the maximum length of a line without its hashes, in bytes.
const longestRequirement = 1_000

// parseRequirement parses one line without its comment; ok is false if it is anything but a package by name.
func parseRequirement(line string) (found requirement, ok bool) {
	line = strings.Trim(strings.ReplaceAll(line, "\t", " "), " ")
	line, found.hashes, ok = cutHashes(line)
	if !ok || len(line) > longestRequirement {
		return found, false
	}
	line, marker, marked := strings.Cut(line, ";")
	if marked {
		if found.marker, ok = parseMarker(marker); !ok {
			return found, false
		}
	}
	found.name = nameStart.FindString(line)
	if found.name == "" {
		return found, false
	}
	line = strings.TrimLeft(line[len(found.name):], " ")
	if strings.HasPrefix(line, "[") {
		extras := extrasStart.FindString(line)
		if extras == "" {
			return found, false
		}
		line = line[len(extras):]
		found.extras = strings.FieldsFunc(extras, func(r rune) bool { return strings.ContainsRune("[], ", r) })
	}
	found.versions, ok = parseVersions(strings.Trim(line, " "))
	return found, ok
}

// cutHashes removes the hashes from the end of a line.
func cutHashes(line string) (rest string, hashes []string, ok bool) {
	rest, options, given := strings.Cut(line, " --")
	if !given {
		return line, nil, true
	}
	for options = "--" + options; options != ""; {
		hash := hashStart.FindStringSubmatch(options)
		if hash == nil {
			return line, nil, false
		}
		hashes, options = append(hashes, hash[1]), options[len(hash[0]):]
	}
	return rest, hashes, true
}

func parseVersions(text string) (versions []string, ok bool) {
	if inner, opened := strings.CutPrefix(text, "("); opened {
		if text, ok = strings.CutSuffix(inner, ")"); !ok {
			return nil, false
		}
		text = strings.Trim(text, " ")
	}
	for text != "" {
		version := versionStart.FindString(text)
		if version == "" {
			return nil, false
		}
		text = strings.TrimLeft(text[len(version):], " ")
		versions = append(versions, strings.ReplaceAll(version, " ", ""))
		if text == "" {
			break
		}
		rest, more := strings.CutPrefix(text, ",")
		if text = strings.TrimLeft(rest, " "); !more || text == "" {
			return nil, false
		}
	}
	return versions, true
}

// markerVariables are the variables that markers can query. The spellings of old tools, and extra, which means nothing
// in a list of packages, aren't among them.
var markerVariables = []string{
	"os_name", "sys_platform", "platform_machine", "platform_python_implementation", "platform_release", "platform_system", "platform_version",
	"python_version", "python_full_version", "implementation_name", "implementation_version",
}

// parseMarker splits a marker into tokens: comparisons of a variable with a text, joined by and, or and brackets.
func parseMarker(text string) (words []string, ok bool) {
	for text = strings.Trim(text, " "); text != ""; {
		word := markerWord.FindString(text)
		if word == "" {
			return nil, false
		}
		words, text = append(words, word), strings.TrimLeft(text[len(word):], " ")
	}
	rest, ok := readAlternatives(words, 0)
	return words, ok && len(rest) == 0
}

// mostBrackets is the maximum nesting of brackets.
const mostBrackets = 10

// readAlternatives parses a marker at the beginning of tokens.
func readAlternatives(words []string, depth int) (rest []string, ok bool) {
	for {
		if words, ok = readComparison(words, depth); !ok || len(words) == 0 || words[0] != "and" && words[0] != "or" {
			return words, ok
		}
		words = words[1:]
	}
}

func readComparison(words []string, depth int) (rest []string, ok bool) {
	if len(words) > 0 && words[0] == "(" && depth < mostBrackets {
		rest, ok = readAlternatives(words[1:], depth+1)
		if !ok || len(rest) == 0 || rest[0] != ")" {
			return nil, false
		}
		return rest[1:], true
	}
	operator := 1 // its number of tokens
	if len(words) > 1 && words[1] == "not" {
		operator = 2
	}
	if len(words) < 2+operator {
		return nil, false
	}
	left, right := words[0], words[1+operator]
	if isText(left) {
		left, right = right, left
	}
	ok = slices.Contains(markerVariables, left) && isText(right) && isOperator(strings.Join(words[1:1+operator], " "))
	return words[2+operator:], ok
}

func isText(word string) bool { return strings.HasPrefix(word, `"`) || strings.HasPrefix(word, `'`) }

func isOperator(words string) bool {
	return slices.Contains([]string{"<=", ">=", "==", "!=", "~=", "<", ">", "in", "not in"}, words)
}
