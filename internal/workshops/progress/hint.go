package progress

import "fmt"

// Hint returns what the author of a notebook can do about a code cell, by its index, that failed with a class of error for so many of
// the seats that ran it, as sentences for people.
func Hint(class string, cell, failed, of int) string {
	return fmt.Sprintf("Cell %d failed for %d of %d (%s): %s", cell+1, failed, of, class, advice(class))
}

func advice(class string) string {
	switch class {
	case "ModuleNotFoundError", "ImportError", "PackageNotFoundError", "packageNotFoundError", rPackage:
		return "the environment lacks a package. The author or the host can add it."
	case "NameError", "UnboundLocalError", "UndefVarError", rObject, rFunction:
		return "it uses a name that isn't there. Often a cell above it wasn't run."
	case "FileNotFoundError", "NotADirectoryError", "IsADirectoryError", rFile:
		return "a file isn't there. Check its path, and that the dataset is connected."
	case "ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "ConnectError", "ConnectTimeout", "HTTPError", "MaxRetryError",
		"NameResolutionError", "NewConnectionError", "ReadTimeout", "SSLError", "Timeout", "TimeoutError", "URLError", "gaierror", rURL:
		return "it needs something from the network, which sessions may not reach. Bring the data as a dataset."
	case "MemoryError", "OutOfMemoryError", rMemory:
		return "the memory of a session isn't enough. Use less data, or ask the host for larger sessions."
	case "SyntaxError", "IndentationError", "TabError", "ParseError", rSyntax:
		return "the code can't be read. Often something was typed into it."
	case "KeyboardInterrupt", "InterruptException":
		return "people stopped it. It may take too long."
	}
	return "try it from the top in a new session."
}
