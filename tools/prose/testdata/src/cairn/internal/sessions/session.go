package sessions

type Session struct{ Status, StatusReason string }
