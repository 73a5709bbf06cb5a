package environments

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// InstalledInKernel is what Installed and InstalledR are for a session whose programs can't be seen from here, as in a container: a kernel of
// its own lists what notebooks in a language are run with, Python or R.
func InstalledInKernel(ctx context.Context, server jupyterkernel.Server, language string) (engine.Installed, error) {
	ctx, cancel := context.WithTimeout(ctx, installedTime)
	defer cancel()
	found, err := listInKernel(ctx, server, language)
	if err != nil {
		return engine.Installed{}, fault.Wrap(err, fault.Unavailable, "The packages that the session runs with couldn't be listed. Try again in a while.")
	}
	if found.Version == "" {
		return engine.Installed{}, nil
	}
	return found.describe()
}

func listInKernel(ctx context.Context, server jupyterkernel.Server, language string) (found installed, err error) {
	var code string
	switch {
	case engine.SameLanguage(language, engine.Python.Language):
		code = "import subprocess, sys\nprint(subprocess.run([sys.executable, '-I', '-B', '-c', " + strconv.QuoteToASCII(installedScript) + "], capture_output=True, check=True, text=True).stdout)"
	case engine.SameLanguage(language, "R"):
		code = "cat(system2(file.path(R.home('bin'), 'R'), c('--slave', '--vanilla', '-e', shQuote(" + strconv.QuoteToASCII(installedRScript) + ")), stdout = TRUE), sep = '\\n')"
	default:
		return found, nil
	}
	kernels, err := server.Kernels(ctx)
	if err != nil {
		return found, err
	}
	name := ""
	for spoken, names := range kernels {
		if engine.SameLanguage(spoken, language) {
			name = names[0]
		}
	}
	if name == "" {
		return found, nil
	}
	var about struct{ Version string }
	if err := server.Call(ctx, http.MethodGet, "api", nil, &about); err != nil {
		return found, err
	}
	printed, err := server.Run(ctx, name, "what notebooks are run with", code)
	if err != nil {
		return found, err
	}
	if engine.SameLanguage(language, "R") {
		return listR([]byte(printed), "jupyter_server "+about.Version)
	}
	printed = strings.TrimSpace(printed)
	err = json.Unmarshal([]byte(printed[strings.LastIndexByte(printed, '\n')+1:]), &found)
	found.Jupyter = "jupyter_server " + about.Version
	return found, err
}
