package origin

import (
	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/sizes"
)

// launchCause is what the launch page says of a cause.
type launchCause struct {
	sessions.Help

	Who string `json:"who"` // a sentence: who can fix it
	Fix string `json:"fix"` // a sentence: what to do
}

var whoCan = map[diagnosis.Who]string{
	diagnosis.You: "You can fix this.", diagnosis.Authors: "The authors can fix this.", diagnosis.Operators: "The operators can fix this",
}

// causeOf returns what the launch page of a session that failed says of its cause; nil if nothing is known. Parts
// are its log, whose marked lines become part of a message.
func causeOf(session sessions.Session, parts []diagnosis.LogPart, contact string) *launchCause {
	if session.Help == nil {
		return nil
	}
	said := &launchCause{Who: whoCan[session.Cause.Who], Fix: session.Cause.Fix, Help: *session.Help}
	if session.Cause.Who == diagnosis.Operators {
		said.Who += sizes.ContactText(contact) + "."
	}
	for _, part := range parts {
		if said.Message != "" && part.Kind == diagnosis.Marked {
			said.Message += part.Text
		}
	}
	return said
}
