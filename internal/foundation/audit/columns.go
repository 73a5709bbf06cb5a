package audit

import "strings"

// class says what is stored of the changes of a column.
type class int

const (
	// recorded: both values.
	recorded class = iota + 1
	// private: both values of objects that everybody may see; of others, that it changed.
	private
	// secret: that it changed.
	secret
	// ignored: nothing, because the action says it, or because the program keeps it for itself.
	ignored
)

// column is a class, and the name of the field in records.
type column struct {
	class class
	name  string
}

func find(name string) (found column, ok bool) {
	table, of, _ := strings.Cut(name, ".")
	found.class, ok = classes[table][of]
	if found.name = fieldNames[name]; found.name == "" {
		found.name = camelCase(of)
	}
	return found, ok
}

func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// fieldNames are the fields that aren't named after their column.
var fieldNames = map[string]string{
	"deposit.at":                  "archive",
	"project_dataset.resource_id": "datasetIds",
	"resource.dataset_url":        "datasetUrl",
	"resource.featured_at":        "featured",
	"resource_author.email":       "authors",
	"resource_tag.tag_id":         "tags",
	"session.status_reason":       "reason",
}

// classes decide about every column of the database; a test refuses one that is missing.
var classes = map[string]map[string]class{
	"access_token": {
		"id": ignored, "account_id": ignored, "digest": secret, "name": private, "scopes": recorded, "created_at": ignored,
		"expires_at": recorded, "last_used_at": ignored,
	},
	"account": {
		"id": ignored, "issuer": ignored, "subject": ignored, "email": recorded, "name": recorded, "created_at": ignored,
		"updated_at": ignored, "seen_at": ignored, "disabled_as": ignored, "guest_until": ignored,
	},
	"account_grant":    {"email": ignored, "enabled": recorded, "role": recorded, "updated_at": ignored},
	"addition":         {"account_id": ignored, "added_at": ignored},
	"appearance":       {"resource_id": ignored, "type": ignored, "stamp": ignored, "deleted": ignored},
	"appearance_clock": {"stamp": ignored},
	"audit_concern":    {"whom": ignored, "record_id": ignored},
	"audit_head":       {"number": ignored, "hash": ignored, "removed": ignored, "holder": ignored, "held_until": ignored},
	"audit_inbox": {
		"id": ignored, "at": ignored, "actor_id": ignored, "actor": ignored, "action": ignored, "object_type": ignored, "object_id": ignored,
		"object_name": ignored, "changes": ignored, "address": ignored, "request_id": ignored, "concerns": ignored,
	},
	"audit_record": {
		"id": ignored, "at": ignored, "actor_id": ignored, "actor": ignored, "action": ignored, "object_type": ignored, "object_id": ignored,
		"object_name": ignored, "changes": ignored, "address": ignored, "request_id": ignored, "seal": ignored,
	},
	"audit_seal":     {"number": ignored, "at": ignored, "records": ignored, "hash": ignored},
	"change":         {"seq": ignored, "resource_id": ignored},
	"change_counter": {"seq": ignored},
	"connection": {
		"account_id": ignored, "host": ignored, "kept": ignored, "login": secret, "granted": recorded, "scopes": ignored, "way": recorded, "sealed": secret,
		"refused": ignored, "expires_at": ignored, "refreshing_until": ignored, "created_at": ignored, "kept_at": ignored,
	},
	"connection_attempt": {"digest": secret, "account_id": ignored, "host": ignored, "verifier": secret, "created_at": ignored},
	"content_task": {
		"id": ignored, "account_id": ignored, "resource_id": ignored, "is_new": ignored, "request": ignored, "state": ignored, "progress": ignored, "problem": ignored,
		"version": ignored, "created_at": ignored, "ended_at": ignored, "worker": ignored, "held_until": ignored,
	},
	"counter": {"name": ignored, "seq": ignored},
	"deposit": {
		"id": ignored, "resource_id": ignored, "version": recorded, "at": recorded, "account_id": ignored, "state": ignored, "draft": ignored, "record_id": ignored,
		"progress": ignored, "problem": ignored, "doi": ignored, "url": ignored, "created_at": ignored, "updated_at": ignored, "worker": ignored,
		"held_until": ignored, "tries": ignored,
	},
	"ended_sign_in": {"account_id": ignored, "digest": secret, "issued_before": ignored, "expires_at": ignored},
	"engine_record": {"engine": ignored, "session_id": ignored, "version": ignored, "content": secret},
	"entry_content": {"resource_id": ignored, "source": ignored, "text": ignored},
	"entry_start":   {"resource_id": ignored, "account_id": ignored, "started_at": ignored},
	"entry_version": {
		"resource_id": ignored, "number": recorded, "made_at": ignored, "made_by": ignored, "note": private, "digest": recorded, "files": recorded, "bytes": recorded,
		"stored": ignored, "task": ignored, "doi": private, "entry": ignored, "withdrawn_at": ignored, "withdrawn_reason": private,
	},
	"import":       {"entries": recorded, "projects": recorded, "accounts": recorded, "grants": recorded, "stars": recorded, "sessions": recorded}, // no table: the numbers of lines
	"launch":       {"id": ignored, "engine": ignored, "steps": ignored, "ended_at": ignored},
	"left_author":  {"resource_id": ignored, "email": ignored},
	"meta":         {"key": ignored, "value": secret},
	"named_author": {"resource_id": ignored, "email": ignored, "named_by": ignored},
	"project": {
		"id": ignored, "external_id": ignored, "name": private, "owner_email": ignored, "repository_id": private, "published": recorded, "offered_to": recorded,
		"state": ignored, "created_at": ignored, "updated_at": ignored,
	},
	"project_dataset": {"project_id": ignored, "position": ignored, "resource_id": private},
	"report":          {"resource_id": ignored, "account_id": ignored, "reason": private, "created_at": ignored},
	"resource": {
		"id": ignored, "external_id": ignored, "type": recorded, "name": private, "description": private, "header_image": private,
		"privacy": recorded, "audience": recorded, "status": recorded, "state": ignored, "repository_url": private, "repository_key": ignored,
		"dataset_url": private, "notebook_path": private, "application_interface_id": private, "version": private,
		"created_at": ignored, "updated_at": ignored, "people": private, "added_by": recorded, "license": private, "doi": private,
		"funding": private, "related_identifiers": private, "language": private, "issued_at": ignored, "needs": private,
		"host_id": ignored, "hidden": recorded, "hidden_reason": recorded, "featured_at": recorded, "starters": ignored,
		"last_run": ignored,
	},
	"upload": {
		"id": ignored, "account_id": ignored, "filename": ignored, "path": ignored, "packed": ignored, "bytes": ignored, "wanted": ignored, "digest": ignored,
		"created_at": ignored, "touched_at": ignored,
	},
	"resource_author": {"resource_id": ignored, "position": ignored, "email": recorded},
	"resource_tag":    {"resource_id": ignored, "tag_id": private},
	"project_member":  {"project_id": ignored, "email": ignored, "role": recorded, "created_at": ignored},
	"batch_place":     {"id": ignored, "engine": ignored, "yields": ignored, "taken_at": ignored},
	"run": {
		"id": ignored, "resource_id": ignored, "file": recorded, "ref": ignored, "started_by": ignored, "account_id": ignored, "engine": ignored,
		"state": ignored, "verdict": ignored, "needs": ignored, "reason": ignored, "code": ignored, "commit_id": ignored, "digest": ignored,
		"cells": ignored, "environment": ignored, "attempts": ignored, "seconds": ignored, "peak_memory": ignored, "queued_at": ignored,
		"started_at": ignored, "ended_at": ignored, "kept": ignored, "latest": ignored, "moved": ignored, "checked_at": ignored,
	},
	"job": {
		"id": ignored, "account_id": ignored, "session_id": ignored, "kind": ignored, "file": secret, "request": secret, "state": ignored, "code": ignored,
		"reason": ignored, "beside": secret, "total": ignored, "done": ignored, "failed_at": ignored, "asked_at": ignored, "started_at": ignored,
		"ended_at": ignored, "name": secret, "resource_id": secret, "project_id": secret, "asked": secret, "target": secret, "idempotency_key": secret,
		"schedule_id": ignored, "due_at": ignored, "previous_id": ignored, "claimed_until": ignored, "cancel_by": ignored, "asked_digest": ignored, "processor_ms": ignored, "peak_memory": ignored, "deleted_at": ignored,
	},
	"schedule": {
		"id": ignored, "account_id": ignored, "name": secret, "asked": secret, "rule": ignored, "paused": ignored, "due_at": ignored, "fired_at": ignored,
		"note": ignored, "idempotency_key": secret, "asked_digest": ignored, "created_at": ignored,
	},
	"session": {
		"id": ignored, "name": secret, "account_id": ignored, "owner_email": ignored, "project_id": secret, "holds": secret,
		"engine": recorded, "status": ignored, "status_reason": recorded, "requested": ignored, "requested_by": ignored, "idempotency_key": secret,
		"launched_at": ignored, "created_at": ignored, "updated_at": ignored, "queued_at": ignored, "admitted_at": ignored,
		"queue_position": ignored, "attempts": ignored, "last_activity_at": ignored, "stops_at": ignored, "warning": ignored,
		"step": ignored, "missing": ignored, "refused_at": ignored, "started_from": secret, "opens": secret, "open_note": ignored,
		"cause": ignored, "left_out": ignored, "kept_at": ignored, "interface": ignored,
		"saved_at": ignored, "versions": ignored, "saving_stopped": ignored, "deleted_at": ignored, "job_id": ignored, "workshop_id": ignored,
	},
	"session_access": {
		"digest": secret, "kind": ignored, "session_id": ignored, "account_id": ignored, "login": secret, "expires_at": ignored,
	},
	"session_request": {
		"id": ignored, "session_id": ignored, "kind": recorded, "account_id": ignored, "can": ignored, "message": secret, "created_at": ignored,
		"answered_at": ignored, "answered_by": ignored, "granted": recorded,
	},
	"session_share": {
		"id": ignored, "session_id": ignored, "kind": ignored, "whom": ignored, "digest": secret, "can": recorded, "until_at": ignored, "run_at": ignored,
		"created_at": ignored,
	},
	"session_share_joined": {"share_id": ignored, "account_id": ignored, "joined_at": ignored},
	"session_visit": {
		"id": ignored, "session_id": ignored, "account_id": ignored, "can": recorded, "people": ignored, "began_at": ignored, "seen_at": ignored, "ended_at": ignored,
	},
	"session_version": {"account_id": ignored, "seq": ignored},
	"reservation":     {"workshop_id": ignored, "engine": ignored, "places": ignored, "sessions": ignored, "together": ignored, "from_at": ignored, "until_at": ignored},
	"workshop": {
		"id": ignored, "name": private, "account_id": ignored, "owner_email": ignored, "entry_id": ignored, "project_id": ignored, "event": ignored,
		"holds_name": ignored, "holds_type": ignored, "file": ignored, "ref": ignored, "engine": ignored, "profile": ignored, "seats": recorded,
		"starts_at": ignored, "ends_at": recorded, "timezone": ignored, "network": ignored, "guests": ignored, "link_key": secret, "old_keys": secret, "code": secret,
		"opened_at": ignored, "ending_at": recorded, "ended_at": ignored, "cleaned_at": ignored, "cells": ignored, "revision": ignored, "created_at": ignored, "updated_at": ignored,
	},
	"workshop_host": {"workshop_id": ignored, "email": ignored},
	"workshop_seat": {
		"id": ignored, "workshop_id": ignored, "number": recorded, "account_id": ignored, "is_guest": ignored, "name": secret, "digest": secret,
		"session_id": ignored, "joined_at": ignored, "left_at": ignored, "hand_at": recorded, "active_at": ignored, "progress": ignored, "updated_at": ignored,
	},
	"workshop_message":  {"id": ignored, "workshop_id": ignored, "said": secret, "created_at": ignored},
	"workshop_handout":  {"id": ignored, "workshop_id": ignored, "name": secret, "bundle": secret, "created_at": ignored},
	"workshop_delivery": {"handout_id": ignored, "seat_id": ignored, "claimed_until": ignored, "delivered_at": ignored, "files": ignored},
	"star":              {"account_id": ignored, "resource_id": ignored, "created_at": ignored},
	"tag":               {"id": ignored, "value": ignored},
	"warm_session": {
		"id": ignored, "entry": ignored, "name": ignored, "engine": ignored, "held": ignored, "phase": ignored, "opens": ignored,
		"open_note": ignored, "left_out": ignored, "created_at": ignored, "interface": ignored,
	},
}
