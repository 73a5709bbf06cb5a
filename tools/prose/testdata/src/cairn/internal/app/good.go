package app

import (
	"fmt"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
)

// hubAnswer is what another program says.
type hubAnswer struct{ Message string }

func fine(err error, s sessions.Session, f *fault.Fault, hub hubAnswer) string {
	if s.StatusReason != "" || "" == f.Message || len(f.Message) > 100 {
		return strings.ToUpper(f.Message[:1]) + f.Message[1:]
	}
	if fault.CodeOf(err) == "index_building" || s.Status == "ERROR" || f.Fields[0].Location == "body.name" {
		return fmt.Sprintf("%s: %s", s.StatusReason, fault.MessageOf(err))
	}
	if strings.Contains(hub.Message, "is already running") || err.Error() != "" {
		return strings.Join([]string{f.Message, s.StatusReason}, "; ")
	}
	return map[string]string{"a": f.Message}["a"]
}
