package catalog

import (
	"context"
	"slices"

	"cairn/internal/audit"
	"cairn/internal/sqldb"
)

// entryIn returns an entry as a transaction sees it; NotFound if there is none.
func entryIn(ctx context.Context, tx *sqldb.Tx, id string) (Resource, error) {
	found, err := load(ctx, tx, []string{id}, true)
	if err == nil && len(found) == 0 {
		err = absent()
	}
	if err != nil {
		return Resource{}, err
	}
	return found[0], nil
}

// recordEntry records what somebody changes in an entry; before is the zero Resource if they add it. It concerns all its
// authors.
func recordEntry(ctx context.Context, tx *sqldb.Tx, action audit.Action, before, after Resource) error {
	object := after.audited()
	object.Private = object.Private || before.Privacy == PrivacyPrivate
	return audit.Record(ctx, tx, audit.Event{
		Action: action, Object: object, Changes: differences(before, after),
		Concerns: slices.Concat(before.Authors, after.Authors, []string{before.AddedBy, after.AddedBy}),
	})
}

// RecordAbout records what somebody does about an entry without changing it. It concerns nobody else.
func RecordAbout(ctx context.Context, tx *sqldb.Tx, action audit.Action, id string, changes ...audit.Change) error {
	about := Resource{ID: id}
	if err := tx.QueryRowContext(ctx, `SELECT name, privacy FROM resource WHERE id = $1`, id).Scan(&about.Name, &about.Privacy); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Event{Action: action, Object: about.audited(), Changes: changes})
}

func recordStar(ctx context.Context, tx *sqldb.Tx, entry Resource, starred bool) error {
	action := audit.UnstarEntry
	if starred {
		action = audit.StarEntry
	}
	return audit.Record(ctx, tx, audit.Event{Action: action, Object: entry.audited()})
}

func (r Resource) audited() audit.Object {
	return audit.Object{Type: audit.Entry, ID: r.ID, Name: r.Name, Private: r.Privacy != PrivacyPublic}
}

// differences compares all columns that people decide about.
func differences(before, after Resource) []audit.Change {
	return []audit.Change{
		{Column: "resource.type", Old: before.Type, New: after.Type},
		{Column: "resource.name", Old: before.Name, New: after.Name},
		{Column: "resource.description", Old: before.Description, New: after.Description},
		{Column: "resource.header_image", Old: before.HeaderImage, New: after.HeaderImage},
		{Column: "resource_tag.tag_id", Old: before.tagValues(), New: after.tagValues()},
		{Column: "resource_author.email", Old: before.Authors, New: after.Authors},
		{Column: "resource.people", Old: before.storedPeople(), New: after.storedPeople()},
		{Column: "resource.added_by", Old: before.AddedBy, New: after.AddedBy},
		{Column: "resource.privacy", Old: before.Privacy, New: after.Privacy},
		{Column: "resource.repository_url", Old: before.RepositoryURL, New: after.RepositoryURL},
		{Column: "resource.dataset_url", Old: before.DatasetURL, New: after.DatasetURL},
		{Column: "resource.notebook_path", Old: before.NotebookPath, New: after.NotebookPath},
		{Column: "resource.application_interface_id", Old: before.ApplicationInterfaceID, New: after.ApplicationInterfaceID},
		{Column: "resource.version", Old: before.Version, New: after.Version},
		{Column: "resource.license", Old: before.License, New: after.License},
		{Column: "resource.doi", Old: before.DOI, New: after.DOI},
		{Column: "resource.funding", Old: storedList(before.Funding), New: storedList(after.Funding)},
		{Column: "resource.related_identifiers", Old: storedList(before.RelatedIdentifiers), New: storedList(after.RelatedIdentifiers)},
		{Column: "resource.language", Old: before.Language, New: after.Language},
		{Column: "resource.needs", Old: before.storedNeeds(), New: after.storedNeeds()},
		{Column: "resource.status", Old: before.Status, New: after.Status},
		{Column: "resource.hidden", Old: before.Hidden, New: after.Hidden},
		{Column: "resource.hidden_reason", Old: before.HiddenReason, New: after.HiddenReason},
		{Column: "resource.featured_at", Old: before.Featured, New: after.Featured},
	}
}

// tagValues returns the tags in byte order.
func (r Resource) tagValues() []string {
	values := make([]string, len(r.Tags))
	for i, tag := range r.Tags {
		values[i] = tag.Value
	}
	slices.Sort(values)
	return values
}
