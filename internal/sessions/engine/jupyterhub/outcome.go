package jupyterhub

import (
	"fmt"
	"regexp"
	"strings"

	"cairn/internal/sessions/diagnosis"
)

// launch is one attempt of this process to bring a session to Running, with the record as it was when it began.
type launch struct {
	engine  *Engine
	session *session
	record  record
}

// outcome says how a launch ended, if it did.
type outcome struct {
	ready, failed, log string
	code               diagnosis.Code // failed: the cause, if the hook told it
	missing            []string       // failed: ids of the missing datasets that caused it
	told               *hookReport    // failed: the hook's last report on the steps; nil if there is none
	lost               bool
	full               bool // the hub has no room now
}

// event is one of the hub's progress events.
type event struct {
	Message string      `json:"message"`
	Ready   bool        `json:"ready"`
	Failed  bool        `json:"failed"`
	URL     string      `json:"url"`
	Cairn   *hookReport `json:"cairn"`
}

var fullCommit = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

func exitReason(code int) string { return fmt.Sprintf("Jupyter stopped with exit code %d.", code) }

var httpReason = regexp.MustCompile(`^HTTP [0-9]{3}: [^(]*\((.*)\)$`)

// plainReason removes the hub's words around a reason.
func plainReason(message string) string {
	message = strings.TrimSpace(strings.TrimPrefix(message, "Spawn failed:"))
	if found := httpReason.FindStringSubmatch(message); found != nil {
		message = found[1]
	}
	if message == "" || message == "Spawn failed" {
		return "The hub could not start the session's server."
	}
	return message
}
