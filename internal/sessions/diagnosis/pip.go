package diagnosis

import (
	"cmp"
	"strings"
)

// pip's forms. A package is named as the requirement is written, with its version.
var (
	pipFailed   = compile(`^ERROR: No matching distribution found for (.+)$`)
	pipVersions = compile(`^ERROR: Could not find a version that satisfies the requirement (.+?) \(from versions: (.+)\)$`)
	pipPython   = compile(`^ERROR: Ignored the following versions that require a different python version: (.+)$`)
	pipRetried  = compile(`Retrying \(Retry\(total=0,.*: /\S*?/?([A-Za-z0-9._-]+)/$|Max retries exceeded with url: /\S*?/?([A-Za-z0-9._-]+)/ `)
	pipDepends  = compile(`^\s*(?:(\S+ \S+) depends on|The user requested) ([^\s;]+)(?: \(((?:line \d+ of )?(\S+))\)$)?`)
	packageName = compile(`^[A-Za-z0-9][A-Za-z0-9._-]*`)
)

func edit(code Code, sentence, fix string) Cause {
	return Cause{Code: code, Sentence: sentence, Fix: fix, Who: Authors, Action: Requirements}
}

var pipRules = []rule{
	{compile(`^ERROR: Could not open requirements file: .*'(.+)'$|Requirement '(.+)' looks like a filename, but the file does not exist`), func(_ *text, _ int, found []string) (Cause, bool) {
		name := found[1] + found[2]
		return edit(RequirementBroken, "requirements.txt names the file "+name+", which isn't in the repository.", "Add the file "+name+", or remove the line."), true
	}},
	{compile(`^\s*fatal: (?:repository '(\S+?)/?' not found|could not read Username for '(\S+)')`), func(_ *text, _ int, found []string) (Cause, bool) {
		return edit(CloneRefused, "requirements.txt asks for a repository that doesn't exist or isn't public: "+found[1]+found[2],
			"Correct its address in requirements.txt, or ask for a public package."), true
	}},
	{compile(`^ERROR: Invalid requirement: ['"]?(.*?)['"]? \(from line (\d+)`), func(t *text, at int, found []string) (Cause, bool) {
		cause := edit(RequirementBroken, "Line "+found[2]+" of requirements.txt can't be read: "+found[1], "Correct the line. A version is written like numpy==1.26.")
		if hint := t.after(at, 1); strings.HasPrefix(hint, "Hint: ") {
			cause.From, cause.To = at, at+2
		}
		return cause, true
	}},
	{compile(`^ERROR: THESE PACKAGES DO NOT MATCH THE HASHES`), func(t *text, at int, _ []string) (Cause, bool) {
		name := packageName.FindString(strings.TrimSpace(t.after(at, 1)))
		cause := edit(PackageDamaged, "The package "+name+" isn't the file that requirements.txt names by its hash.", "Update the hash of "+name+" in requirements.txt, or remove it.")
		cause.From, cause.To = at, min(at+4, len(t.lines))
		return cause, name != ""
	}},
	{compile(`^ERROR: Wheel '(\S+)' located at .* is invalid|^zipfile\.BadZipFile`), func(_ *text, _ int, found []string) (Cause, bool) {
		cause := edit(PackageDamaged, "The file of the package "+found[1]+" is damaged.", "Try again. If it happens again, ask for another version in requirements.txt.")
		cause.Who, cause.Action = You, Again
		return cause, true
	}},
	{compile(`^ERROR: (\S+) is not a supported wheel on this platform`), always(edit(
		PythonVersion, "The wheel $1 isn't for this server's Python or system.", "Name the package and a version in requirements.txt instead of a file."))},
	{compile(`^ERROR: ResolutionImpossible|^ERROR: Cannot install .* conflicting dependencies`), conflict},
	{compile(`Requires-Python|requires a different Python: (\S+) not in '(.*)'`), olderPython},
	{pipFailed, noDistribution},
	{compile(`^ERROR: (?:Could not install packages due to an OSError: .*(?:HTTPS?ConnectionPool|Connection|timed out)|HTTP error (?:5|429))|ReadTimeoutError`), func(*text, int, []string) (Cause, bool) {
		return indexAway(), true
	}},
	{compile(`fatal error: (\S+): No such file or directory`), func(t *text, _ int, found []string) (Cause, bool) {
		return needed("A package has to be built and needs the header "+found[1]+", which this server doesn't have.",
			"Ask the operators to install the development files that contain "+found[1]+", or ask for a version that comes as a wheel."), t.has(pipBroke)
	}},
	{compile(`error: command '?([\w./+-]*?(?:gcc|g\+\+|cc|cmake|gfortran|cargo|rustc))'? failed: (?:No such file|None)|(?i)can't find Rust compiler|CMake must be installed`), func(t *text, _ int, _ []string) (Cause, bool) {
		return needed("A package has to be built, and this server lacks the compiler for it.",
			"Ask the operators to install it, or ask for a version that comes as a wheel."), t.has(pipBroke)
	}},
	{pipBroke, notBuilt},
}

var (
	pipBroke   = compile(`metadata-generation-failed|legacy-install-failure|Failed building wheel for|subprocess-exited-with-error`)
	pipReplace = compile(`The '(\S+)' PyPI package is deprecated, use '(\S+)'`)
	pipBuilt   = compile(`^(?:Collecting|ERROR: Failed building wheel for) ([A-Za-z0-9][A-Za-z0-9._-]*)`)
)

func needed(sentence, fix string) Cause {
	return Cause{Code: LibraryMissing, Sentence: sentence, Fix: fix, Who: Operators, Action: Contact}
}

func indexAway() Cause {
	cause := coded[IndexUnreachable]
	cause.Code = IndexUnreachable
	return cause
}

// noDistribution tells packages that the index lacks from an index that didn't answer.
func noDistribution(t *text, at int, found []string) (Cause, bool) {
	wanted := found[1]
	name := packageName.FindString(wanted)
	if retried, line := t.find(pipRetried); retried != nil && strings.EqualFold(dashes(retried[1]+retried[2]), dashes(name)) {
		cause := indexAway()
		cause.From, cause.To = line, line+1
		return cause, true
	}
	versions, line := t.find(pipVersions)
	if line < 0 {
		line = at
	}
	var cause Cause
	switch {
	case versions != nil && versions[2] != "none":
		cause = edit(VersionUnknown, "The package index has no "+wanted+", only "+lastOf(versions[2])+".",
			"Ask for a version of "+name+" in requirements.txt that exists.")
	case standard[name]:
		cause = edit(PackageUnknown, name+" is a part of Python, not a package.", "Remove "+name+" from requirements.txt.")
	case packageOf[name] != "" && packageOf[name] != name:
		cause = edit(PackageUnknown, "The package index has no package named "+name+".",
			"Write "+packageOf[name]+" instead of "+name+" in requirements.txt: that is the package with this module.")
	default:
		cause = edit(PackageUnknown, "The package index has no package named "+name+", or none for this server.",
			"Check the spelling of "+name+" in requirements.txt.")
	}
	cause.From, cause.To = line, at+1
	return cause, true
}

// lastOf shortens a list of versions to its last ones.
func lastOf(versions string) string {
	all := strings.Split(versions, ", ")
	if len(all) > 5 {
		return "older or newer ones, such as " + strings.Join(all[len(all)-3:], ", ")
	}
	return strings.Join(all, ", ")
}

func dashes(name string) string { return strings.NewReplacer("_", "-", ".", "-").Replace(name) }

// olderPython explains versions that the index has for other Pythons alone.
func olderPython(t *text, at int, found []string) (Cause, bool) {
	if found[1] != "" {
		return edit(PythonVersion, "A package needs Python "+found[2]+", and this server has "+found[1]+".",
			"Ask for a version of it in requirements.txt that supports Python "+found[1]+"."), true
	}
	ignored := pipPython.FindStringSubmatch(t.lines[at])
	failed, end := t.find(pipFailed)
	if ignored == nil || failed == nil {
		return Cause{}, false
	}
	name := packageName.FindString(failed[1])
	_, version, _ := strings.Cut(failed[1], "==")
	for each := range strings.SplitSeq(ignored[1], "; ") {
		one, needs, _ := strings.Cut(each, " Requires-Python ")
		if version != "" && one != strings.TrimSpace(version) {
			continue
		}
		cause := edit(PythonVersion, name+" "+one+" needs Python "+needs+", which this server doesn't have.",
			"Ask for a newer version of "+name+" in requirements.txt.")
		cause.From, cause.To = at, end+1
		return cause, true
	}
	return Cause{}, false
}

// conflict names the packages that want different versions of another.
func conflict(t *text, at int, _ []string) (Cause, bool) {
	var wishes []string
	file := "requirements.txt"
	from, to := at, at+1
	for line := at; line >= 0 && line > at-40; line-- {
		found := pipDepends.FindStringSubmatch(t.lines[line])
		if found == nil {
			continue
		}
		if to == at+1 && from == at {
			to = line + 1
		}
		from = line
		who := cmp.Or(found[1], found[3], file)
		file = cmp.Or(found[4], file)
		wishes = append([]string{who + " needs " + found[2]}, wishes...)
	}
	if len(wishes) == 0 {
		return edit(VersionConflict, "The packages in requirements.txt need conflicting versions.", "Relax the versions in requirements.txt."), true
	}
	cause := edit(VersionConflict, "Packages need conflicting versions: "+strings.Join(wishes[:min(len(wishes), 4)], ", ")+".",
		"Relax or remove one of these versions in "+file+".")
	if file != "requirements.txt" {
		cause.Action = Repository
	}
	cause.From, cause.To = from, to
	return cause, true
}

// notBuilt explains a package that comes as source code and whose own script failed.
func notBuilt(t *text, at int, _ []string) (Cause, bool) {
	if replaced, line := t.find(pipReplace); replaced != nil {
		cause := edit(PackageBuild, "The package "+replaced[1]+" is retired: its new name is "+replaced[2]+" now.",
			"Write "+replaced[2]+" instead of "+replaced[1]+" in requirements.txt.")
		cause.From, cause.To = line, line+1
		return cause, true
	}
	sentence, name := "A package has to be built, and its build failed.", "it"
	if found, _ := t.find(pipBuilt); found != nil {
		sentence, name = "The package "+found[1]+" has to be built, and its build failed.", found[1]
	}
	cause := edit(PackageBuild, sentence, "Ask for a version of "+name+" in requirements.txt that comes as a wheel.")
	if missing, line := t.find(noModule); missing != nil && line < at {
		cause.Sentence = strings.TrimSuffix(sentence, ".") + ": its build script needs " + missing[1] + "."
		cause.From, cause.To = line, line+1
	}
	return cause, true
}

func (t *text) after(at, lines int) string {
	if at+lines < len(t.lines) {
		return t.lines[at+lines]
	}
	return ""
}
