package fault

import "errors"

// Code identifies a fault for programs. Codes are stable, sentences aren't: no code may depend on a message.
type Code string

// The codes that programs may want to distinguish from others of the same kind. Each has a row in Codes.
const (
	AccountDisabled     Code = "account_disabled"
	CodehostLimited     Code = "codehost_limited"
	CodehostUnavailable Code = "codehost_unavailable"
	DatabaseUnavailable Code = "database_unavailable"
	DescriptorChanged   Code = "descriptor_changed"
	DescriptorInvalid   Code = "descriptor_invalid"
	DescriptorMissing   Code = "descriptor_missing"
	DigestMismatch      Code = "digest_mismatch"
	EmailUnverified     Code = "email_unverified"
	EngineUnavailable   Code = "engine_unavailable"
	EngineUnknown       Code = "engine_unknown"
	EntryChanged        Code = "entry_changed"
	EntryExists         Code = "entry_exists"
	GuestsCannot        Code = "guests_cannot"
	IndexBuilding       Code = "index_building"
	LanguageMissing     Code = "language_missing"
	InterfaceUnknown    Code = "interface_unknown"
	LastAuthor          Code = "last_author"
	LooksSecret         Code = "looks_secret"
	NoRoom              Code = "no_room"
	NoProfileFits       Code = "no_profile_fits"
	NotAuthor           Code = "not_author"
	NotConnected        Code = "not_connected"
	NotebookBusy        Code = "notebook_busy"
	NotebookChanged     Code = "notebook_changed"
	NotEnabled          Code = "not_enabled"
	NotRunnable         Code = "not_runnable"
	PartMissing         Code = "part_missing"
	ProfileUnknown      Code = "profile_unknown"
	ProjectChanged      Code = "project_changed"
	ProviderUnavailable Code = "provider_unavailable"
	QuotaReached        Code = "quota_reached"
	RefNotFound         Code = "ref_not_found"
	SessionLimit        Code = "session_limit"
	SessionNotRunning   Code = "session_not_running"
	SessionStopping     Code = "session_stopping"
	SourceReading       Code = "source_reading"
	TimezoneUnknown     Code = "timezone_unknown"
	TokenScope          Code = "token_scope"
	UploadIncomplete    Code = "upload_incomplete"
	VersionWithdrawn    Code = "version_withdrawn"
	WorkGone            Code = "work_gone"
	WorkshopEnded       Code = "workshop_ended"
	WorkshopFull        Code = "workshop_full"
	WorkshopNotOpen     Code = "workshop_not_open"
	WrongCode           Code = "wrong_code"
	WrongHost           Code = "wrong_host"
)

// Codes lists every code with its meaning: first those that stand for a whole kind, then the specific ones.
var Codes = []struct {
	Code    Code
	Kind    Kind // of faults created from the code alone
	Meaning string
}{
	{"malformed", Malformed, "The request cannot be read."},
	{"unauthenticated", Unauthenticated, "The call needs a valid access token."},
	{"forbidden", Forbidden, "The caller may not do this."},
	{"not_found", NotFound, "The object doesn't exist, or the caller may not see it."},
	{"method_not_allowed", WrongMethod, "The address doesn't support this method. Allow lists those that it supports."},
	{"conflict", Conflict, "The state of the object does not allow this."},
	{"gone", Gone, "It was here, and is over for good."},
	{"too_large", TooLarge, "Something is over a size limit."},
	{"unsupported_media_type", WrongMedia, "The body's type isn't supported by the call."},
	{"invalid", Invalid, "A value breaks a rule. errors names each such value."},
	{"too_many", TooMany, "The caller is over a rate limit. retryAfter says when to come back."},
	{"internal", Internal, "Part of this server is broken. The operators can find the request id in their log."},
	{"bad_upstream", BadUpstream, "Another system gave an answer that can't be used."},
	{"unavailable", Unavailable, "Another system, or part of this one, can't answer right now."},

	{AccountDisabled, Forbidden, "An operator disabled the caller's account."},
	{CodehostLimited, Unavailable, "This server has used up the code host's rate limit. retryAfter says when it resets."},
	{CodehostUnavailable, Unavailable, "The code host can't be reached, doesn't answer in time, or is down."},
	{DatabaseUnavailable, Unavailable, "The database of this server isn't responding. Send the call again after retryAfter."},
	{DescriptorChanged, Conflict, "The repository's descriptor isn't what the caller saw. Pull it again."},
	{DescriptorInvalid, Invalid, "The repository's descriptor breaks rules. errors names each line."},
	{DescriptorMissing, NotFound, "The repository has no descriptor, doesn't exist, or is private."},
	{DigestMismatch, Invalid, "What arrived of an upload isn't what its sender has. errors names the uploads; they stay until they are deleted."},
	{EmailUnverified, Forbidden, "The identity provider hasn't verified the caller's e-mail address."},
	{EngineUnavailable, Unavailable, "The engine that runs sessions can't start or reach any right now."},
	{EngineUnknown, Invalid, "There is no engine of that name."},
	{EntryChanged, Conflict, "The entry was changed since the caller read it."},
	{EntryExists, Conflict, "The repository, or the data of a DOI, is already in the catalog. link leads to its entry if the caller may see it."},
	{GuestsCannot, Forbidden, "Guests of a workshop may not call this."},
	{IndexBuilding, Unavailable, "The search index is being built. progress says how far along it is, from 0 to 1."},
	{NotebookBusy, Conflict, "The rest of the notebook is being executed already."},
	{NotebookChanged, Conflict, "The notebook's file isn't the one that the caller knows."},
	{InterfaceUnknown, Invalid, "Sessions of the engine can't be opened in the named interface. The message names those in which they can."},
	{LanguageMissing, Invalid, "The notebook is written in a language for which sessions have no kernel. The message names it, and those that they have."},
	{LastAuthor, Conflict, "The caller is the last author of the entry, so they can't leave it."},
	{LooksSecret, Conflict, "Files that are to be published look as if they had a secret in them. warnings names them; confirm publishes them all the same."},
	{NoRoom, Conflict, "This server can't carry so many sessions at that time. The message says how many it can."},
	{NoProfileFits, Invalid, "No size that the caller may choose has what the entry asks for. A start that names a profile isn't refused for that."},
	{NotAuthor, Forbidden, "Only the entry's authors may do this, and the caller isn't one of them."},
	{NotConnected, Forbidden, "The caller's account isn't connected with the service, or has to be connected again."},
	{NotEnabled, Forbidden, "The caller's account isn't enabled for sessions."},
	{NotRunnable, Invalid, "The entry can't be started as a session, or not on this engine. The message says why."},
	{PartMissing, Conflict, "Parts of the project are gone or no longer visible to the caller. missing lists the ids of its datasets among them."},
	{ProfileUnknown, Invalid, "The engine has no size of that name that the caller may choose."},
	{ProjectChanged, Conflict, "The project was changed since the caller read it."},
	{ProviderUnavailable, Unavailable, "The identity provider isn't responding, so the access token can't be checked. The caller stays signed in."},
	{QuotaReached, Conflict, "What the account has stored takes as much as it may. The message says what to delete."},
	{RefNotFound, Invalid, "The repository has no such branch, tag or commit. The message names those that it has."},
	{SessionLimit, Conflict, "The caller already has the maximum number of sessions running or starting."},
	{SessionNotRunning, Conflict, "The session isn't running."},
	{SessionStopping, Conflict, "The session is being stopped. Send the call again in a moment."},
	{SourceReading, Unavailable, "The source is still being read. Send the call again after retryAfter."},
	{TimezoneUnknown, Invalid, "There is no time zone of that name in the IANA database."},
	{TokenScope, Forbidden, "The personal access token lacks the scope that the call needs, or the call accepts no such token. The message says which."},
	{UploadIncomplete, Conflict, "An upload isn't complete yet. errors names each."},
	{VersionWithdrawn, Gone, "The version of the entry was withdrawn. The message says why."},
	{WorkGone, Gone, "The work of the workshop's seats was kept until then, and is deleted."},
	{WorkshopEnded, Gone, "The workshop has ended."},
	{WorkshopFull, Conflict, "All seats of the workshop are taken."},
	{WorkshopNotOpen, Conflict, "The workshop isn't open yet. opensAt says when it will be."},
	{WrongCode, Forbidden, "The code isn't that of the workshop, or of the seat."},
	{WrongHost, Misdirected, "The request names a host that this server doesn't answer to."},
}

// Class is what a fault is created from: a Code, or a Kind where that is specific enough for programs.
type Class interface {
	class() (Kind, Code)
}

func (k Kind) class() (Kind, Code) {
	for _, row := range Codes {
		if row.Kind == k {
			return k, row.Code
		}
	}
	return k, "internal"
}

func (c Code) class() (Kind, Code) {
	for _, row := range Codes {
		if row.Code == c {
			return row.Kind, c
		}
	}
	return Internal, c
}

// CodeOf returns the code of the first fault in the chain; that of any other error is "internal".
func CodeOf(err error) Code {
	if found, ok := errors.AsType[*Fault](err); ok {
		return found.Code
	}
	_, code := Internal.class()
	return code
}
