package diagnosis

import (
	"path"
	"strings"
)

var (
	noModule   = compile(`^\s*(?:ModuleNotFound|Import)Error: No module named '?([\w.]+)'?`)
	fromColab  = compile(`google\.colab`)
	runCommand = compile(`subprocess|Popen|os\.exec`)
	hostNamed  = compile(`host='([^']+)'|urlopen\(['"]https?://([^/'"]+)|resolve host: (\S+)|https?://([^/'"\s)]+)`)
)

var pythonRules = []rule{
	{compile(`(?:ImportError|OSError): (lib[\w.+-]+\.so[\w.]*): cannot open shared object file`), func(_ *text, _ int, found []string) (Cause, bool) {
		if strings.HasPrefix(found[1], "libcu") || strings.HasPrefix(found[1], "libnv") {
			return withoutGPU, true
		}
		return needed("The library "+found[1]+" of the system is missing.", "Ask the operators to install the package that contains "+found[1]+"."), true
	}},
	{compile(`Torch not compiled with CUDA|Found no NVIDIA driver|no CUDA-capable device|CUDA driver version is insufficient`), always(withoutGPU)},
	{compile(`Missing parentheses in call to '(?:print|exec)'`), always(python2)},
	{compile(`^ImportError: Missing optional dependency '(\S+?)'`), func(_ *text, _ int, found []string) (Cause, bool) { return addModule(found[1]), true }},
	{compile(`^ImportError: cannot import name '\w+' from (?:partially initialized module )?'([\w.]+)'.*\((?:most likely .*\) \()?(/.*?)\)`), otherVersion},
	{compile(`^AttributeError: (partially initialized )?module '([\w.]+)' has no attribute '(\w+)'`), func(_ *text, _ int, found []string) (Cause, bool) {
		name, _, _ := strings.Cut(found[2], ".")
		switch {
		case found[1] != "":
			return shadowed(name, name+".py"), true
		case standard[name]:
			return olderLibrary(name), removed[found[2]+"."+found[3]]
		}
		return newerThan(name), true
	}},
	{compile(`size changed, may indicate binary incompatibility|compiled using NumPy 1\.x cannot be run`), func(*text, int, []string) (Cause, bool) {
		return newerThan("numpy"), true
	}},
	{compile(`(?:ContextualVersionConflict|VersionConflict): \(([\w.-]+)|DistributionNotFound: The '([\w.-]+)`), func(_ *text, _ int, found []string) (Cause, bool) {
		if found[2] != "" {
			return addModule(found[2]), true
		}
		return newerThan(found[1]), true
	}},
	{noModule, absentModule},
	{compile(`^FileNotFoundError: (?:\[Errno 2\] No such file or directory: '(.*)'|(.+?) (?:not found|does not exist)\.?$)|^(?:OSError|FileNotFoundError): .*?'?([^' ]+)'? does not exist$`), absentFile},
	{compile(`^(?:OSError|PermissionError): \[Errno (?:30|13)\] (?:Read-only file system|Permission denied): '(.*)'`), func(_ *text, _ int, found []string) (Cause, bool) {
		return Cause{
			Code: ReadOnly, Sentence: "The code writes " + path.Base(found[1]) + " where nothing can be written: " + found[1],
			Fix: "Datasets can only be read. Write " + path.Base(found[1]) + " beside the notebook.", Who: Authors, Action: Entry,
		}, true
	}},
	{compile(`HTTPError: (?:HTTP Error )?(404|410|403|401)\b`), always(Cause{
		Code: AddressGone, Sentence: "The code loads an address that answers with HTTP $1: it is gone, or it isn't public.",
		Fix: "Ask the authors for the address where the data is now.", Who: Authors, Action: Entry,
	})},
	{compile(`^(?:\w+\.)*(?:URLError|ConnectionError|ConnectTimeout|ConnectionRefusedError|gaierror|TimeoutError|ProxyError|OSError):? .*` +
		`(?:Name or service not known|Temporary failure in name resolution|Network is unreachable|Connection refused|timed out|No route to host|NewConnectionError|Errno 13\] Permission denied|Max retries exceeded)`), unreachable},
	{compile(`^((?:\w+\.)*([A-Z]\w*(?:Error|Exception)))(?:: (.*))?$`), func(_ *text, _ int, found []string) (Cause, bool) {
		if strings.Contains(found[1], "jupyter") || strings.Contains(found[1], "nbclient") {
			return Cause{}, false
		}
		told := found[2]
		if found[3] != "" {
			told += ": " + shorten(found[3])
		}
		return Cause{
			Code: CodeFailed, Sentence: "The code failed with " + strings.TrimRight(told, ".") + ".",
			Fix: "Ask the authors, or correct the code in your session.", Who: Authors, Action: Entry,
		}, true
	}},
}

var withoutGPU = Cause{
	Code: NoGPU, Sentence: "The code needs a GPU, and sessions don't have one.", Fix: "Run it on the CPU, or ask the operators for a GPU.",
	Who: Operators, Action: Contact,
}

var python2 = Cause{
	Code: WrongLanguage, Sentence: "The code is written in Python 2, and this server runs Python 3.",
	Fix: "Ask the authors for a version in Python 3. The program 2to3 does most of the work.", Who: Authors, Action: Entry,
}

// inRepository is a cause that the authors remove in a repository, which may not have a requirements.txt yet.
func inRepository(code Code, sentence, fix string) Cause {
	return Cause{Code: code, Sentence: sentence, Fix: fix, Who: Authors, Action: Repository}
}

func addModule(module string) Cause {
	name := packageFor(module)
	sentence := "The module " + module + " isn't installed."
	if name != module {
		sentence = "The module " + module + " isn't installed. It belongs to the package " + name + "."
	}
	return inRepository(ModuleMissing, sentence, "Add this line to requirements.txt: "+name)
}

func newerThan(module string) Cause {
	name := packageFor(module)
	return inRepository(VersionConflict, "The code was written for another version of "+name+".",
		"Name the version of "+name+" that the code was written for in requirements.txt, such as "+name+"<2, or change the code.")
}

// removed are names that code still uses and Python's own modules had once.
var removed = map[string]bool{
	"asyncio.coroutine": true, "cgi.escape": true, "fractions.gcd": true, "inspect.getargspec": true, "os.getcwdu": true,
	"platform.dist": true, "platform.linux_distribution": true, "string.join": true, "string.letters": true,
	"string.maketrans": true, "time.clock": true,
}

func olderLibrary(module string) Cause {
	return inRepository(VersionConflict, "The code was written for another version of Python: this one's module "+module+" has no such name.",
		"Change the code: Python's documentation of "+module+" names what replaced it.")
}

func shadowed(module, file string) Cause {
	return Cause{
		Code: NameShadowed, Sentence: "The file " + file + " hides Python's own module " + module + ".",
		Fix: "Rename " + file + " and what imports it.", Who: Authors, Action: Entry,
	}
}

// otherVersion tells a file that hides a module from a module that has changed.
func otherVersion(_ *text, _ int, found []string) (Cause, bool) {
	module, _, _ := strings.Cut(found[1], ".")
	file := path.Base(found[2])
	if standard[module] && strings.TrimSuffix(file, ".py") == module && !strings.Contains(found[2], "/lib/python") {
		return shadowed(module, file), true
	}
	if standard[module] {
		return olderLibrary(module), true
	}
	return newerThan(module), true
}

func absentModule(t *text, _ int, found []string) (Cause, bool) {
	module, part, nested := strings.Cut(found[1], ".")
	switch {
	case (module == "google" || found[1] == "google.colab") && t.has(fromColab):
		return Cause{
			Code: ModuleMissing, Sentence: "The code is written for Google Colab: google.colab exists only there.",
			Fix: "Ask the authors to remove the lines with google.colab and read the data from the folder data.", Who: Authors, Action: Entry,
		}, true
	case oldModules[module]:
		return python2, true
	case module == "tkinter" || module == "_tkinter":
		return needed("Python's module tkinter isn't installed on this server.", "Ask the operators to install python3-tk. Sessions have no screen, so plots are better drawn in the notebook."), true
	case nested && part != "" && !strings.HasPrefix(module, "google"): // the package is there without this part
		return newerThan(module), true
	}
	return addModule(module), true
}

// absentFile tells commands from files, and looks for a dataset that the path may mean.
func absentFile(t *text, _ int, found []string) (Cause, bool) {
	name := found[1] + found[2] + found[3]
	base := path.Base(strings.ReplaceAll(strings.ReplaceAll(name, `\\`, "/"), `\`, "/"))
	if !strings.ContainsAny(name, `/\.`) && t.has(runCommand) {
		return needed("The program "+name+" isn't installed on this server.", "Ask the operators to install "+name+"."), true
	}
	cause := Cause{Code: FileMissing, Sentence: "The file " + name + " isn't there.", Who: Authors, Action: Entry}
	switch fits := t.inDatasets(name); {
	case fits != "":
		cause.Fix = "The session most likely has it as " + fits + ", seen from the work folder."
	case strings.Contains(name, `:\`):
		cause.Fix = "This path is on the author's own computer. Put " + base + " into the repository or a dataset, and open it by a path relative to the notebook."
	case len(t.datasets) > 0:
		cause.Fix = "Put " + base + " into the repository, or open it from a dataset of the session: data/" + strings.Join(t.datasets, ", data/") + "."
	default:
		cause.Fix = "Put " + base + " into the repository or a dataset, and open it by a path relative to the notebook."
	}
	return cause, true
}

// inDatasets returns the path below the work folder where a file lies if a dataset contains it; "" if none fits.
func (t *text) inDatasets(name string) string {
	parts := strings.Split(strings.Trim(strings.ReplaceAll(strings.ReplaceAll(name, `\\`, "/"), `\`, "/"), "/"), "/")
	for i, part := range parts {
		for _, folder := range t.datasets {
			if strings.EqualFold(part, folder) && (i == 0 || parts[i-1] != "data") {
				return path.Join(append([]string{"data", folder}, parts[i+1:]...)...)
			}
		}
	}
	for i, part := range parts {
		if part == "data" && len(t.datasets) == 1 && i+1 < len(parts) && parts[i+1] != t.datasets[0] {
			return path.Join(append([]string{"data", t.datasets[0]}, parts[i+1:]...)...)
		}
	}
	return ""
}

func unreachable(t *text, at int, _ []string) (Cause, bool) {
	host := "a host"
	if named := hostNamed.FindStringSubmatch(t.lines[at]); named != nil {
		host = named[1] + named[2] + named[3] + named[4]
	} else if named, _ := t.find(hostNamed); named != nil {
		host = named[1] + named[2] + named[3] + named[4]
	}
	return Cause{
		Code: Network, Sentence: "The code can't reach " + host + ". Sessions reach only what the operators allow, or nothing.",
		Fix: "Ask the operators to allow it, or the authors to publish the data as a dataset.", Who: Operators, Action: Contact,
	}, true
}

func shorten(text string) string {
	const most = 160
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
