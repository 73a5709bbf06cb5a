package progress

import (
	"regexp"
	"strings"
)

// unknownClass is the class of errors whose name tells nothing that may be shown.
const unknownClass = "Error"

// The classes of errors in R, which has no names for them.
const (
	rObject    = "object not found"
	rFunction  = "could not find function"
	rPackage   = "no package"
	rSyntax    = "unexpected symbol"
	rFile      = "cannot open file"
	rURL       = "cannot open URL"
	rMemory    = "cannot allocate memory"
	rNumber    = "non-numeric argument"
	rSubscript = "subscript out of bounds"
	rColumns   = "undefined columns"
	rShape     = "non-conformable arguments"
	rMissing   = "missing argument"
	rUnused    = "unused argument"
	rCondition = "missing value in a condition"
)

// rForms are the forms of R's messages. The first that is found counts: a package that is missing may be the reason for another error.
var rForms = []struct {
	class string
	form  *regexp.Regexp
}{
	{rPackage, regexp.MustCompile(`there is no package called `)},
	{rSyntax, regexp.MustCompile(`:[0-9]+:[0-9]+: unexpected `)},
	{rFunction, regexp.MustCompile(`could not find function `)},
	{rURL, regexp.MustCompile(`(?i)cannot open (the connection to|url) |could not resolve host|failed to connect|couldn't connect`)},
	{rFile, regexp.MustCompile(`cannot open (the connection|file|compressed file)|cannot change working directory|` +
		`(?i:no such file or directory)|does not exist in current working directory|\b(?i:file|path)\b.*does not exist`)},
	{rMemory, regexp.MustCompile(`cannot allocate (vector|memory|buffer)`)},
	{rNumber, regexp.MustCompile(`non-numeric (argument|matrix|variable)`)},
	{rSubscript, regexp.MustCompile(`subscript out of bounds`)},
	{rColumns, regexp.MustCompile(`undefined columns selected`)},
	{rShape, regexp.MustCompile(`non-conformable (arguments|arrays)`)},
	{rMissing, regexp.MustCompile(`argument \S+ is missing, with no default`)},
	{rUnused, regexp.MustCompile(`unused arguments? \(`)},
	{rCondition, regexp.MustCompile(`missing value where TRUE/FALSE needed`)},
	{rObject, regexp.MustCompile(`(?m)object .+ not found\s*$`)},
}

// searchLimit is how much of an error's text is searched, in bytes.
const searchLimit = 4 << 10

// The forms of names that may be shown: a name with the modules that it's in, and what Julia writes of an error with its values.
var (
	nameForm  = regexp.MustCompile(`^(?:[A-Za-z0-9_]+(?:\.|::))*([A-Za-z_][A-Za-z0-9_]{0,59})$`)
	valueForm = regexp.MustCompile(`^((?:[A-Za-z0-9_]+\.)*[A-Za-z0-9_]*(?:Error|Exception))[({]`)
)

// Class returns the class of an error that a kernel tells with the name ename and the text evalue, as it may be shown to others: at most
// 60 ASCII letters, digits and underscores, or one of a few fixed texts for R, whose kernels name every error "ERROR". It's "Error" for
// anything else, such as the messages that Octave has in place of a name, and R's in other languages than English. Never is a part of
// evalue in it, which may have data and names of files.
//
// Modules are left out: "requests.exceptions.ConnectionError" is "ConnectionError". Python's own kernel tells no modules, so an error is
// counted as the same one whichever kernel tells it, and a module may be named after what somebody works on.
func Class(ename, evalue string) string {
	if ename == "" || strings.EqualFold(ename, "error") {
		return classOfR(evalue)
	}
	if len(ename) > searchLimit {
		return unknownClass
	}
	if found := valueForm.FindStringSubmatch(ename); found != nil {
		ename = found[1]
	}
	if found := nameForm.FindStringSubmatch(ename); found != nil {
		return found[1]
	}
	return unknownClass
}

func classOfR(evalue string) string {
	if len(evalue) > searchLimit {
		evalue = evalue[:searchLimit]
	}
	for _, one := range rForms {
		if one.form.MatchString(evalue) {
			return one.class
		}
	}
	return unknownClass
}
