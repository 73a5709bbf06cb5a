// Package executor executes a notebook without anybody at it: from top to bottom, in one fresh kernel of a running Jupyter
// server, as nbclient does. It returns the executed notebook and what became of each cell. The code is not trusted: memory
// is bounded whatever it prints, and whatever it does, the run ends in one of the endings and its kernel is ended. What the
// code may reach, and how much of the machine it may use, is up to whoever starts the server.
//
// Start the server with ServerOptions and Environment.
package executor

import (
	"strconv"
	"time"
)

// ServerOptions are the options of a Jupyter server whose notebooks are executed. Jupyter by default drops what a cell
// prints beyond 1,000,000 bytes or 1,000 messages a second, so these limits have to be off:
//
//	--NotebookApp.iopub_data_rate_limit=0 --NotebookApp.iopub_msg_rate_limit=0  of Jupyter Notebook before 7
//	--ServerApp.iopub_data_rate_limit=0 --ServerApp.iopub_msg_rate_limit=0      of jupyter_server 1
//	--ZMQChannelsWebsocketConnection.limit_rate=False                           of jupyter_server 2
//
// And it looks only every 3 seconds whether kernels still run; with --KernelRestarter.time_to_dead=0.25 their death is
// noticed at once. Each server ignores the options of the others, except that it may write a warning.
func ServerOptions() []string {
	return []string{
		"--NotebookApp.iopub_data_rate_limit=0", "--NotebookApp.iopub_msg_rate_limit=0",
		"--ServerApp.iopub_data_rate_limit=0", "--ServerApp.iopub_msg_rate_limit=0",
		"--ZMQChannelsWebsocketConnection.limit_rate=False",
		"--KernelRestarter.time_to_dead=0.25",
	}
}

// Environment returns the variables of the server that make two runs of the same code print the same: the hash seed, the
// time zone, the language, the width of lines, the date that files are stamped with, and figures that are drawn by Agg and
// shown inline, also in notebooks that don't ask for it. date is that of the code, such as the time of its commit.
func Environment(date time.Time) []string {
	return []string{
		"PYTHONHASHSEED=0", "TZ=UTC", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "COLUMNS=80",
		"MPLBACKEND=module://matplotlib_inline.backend_inline",
		"SOURCE_DATE_EPOCH=" + strconv.FormatInt(date.Unix(), 10),
	}
}
