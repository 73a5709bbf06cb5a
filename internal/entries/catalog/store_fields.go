package catalog

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/sqldb"
)

// field is what is stored of an entry under one name. Queries, writes, records of changes and the file of rows all go by the
// list of fields, so a new column of the table resource is one more line there.
type field struct {
	column   string // of the table resource, or of another with its name before it
	read     string // the expression with which rows are read; "" if they are read without it
	written  writes
	recorded bool // changes of it are recorded
	alone    bool // it is only in whole rows, which lists don't need

	value func(r *Entry) any // as it is stored and recorded
	into  func(r *Entry) any // where a value that is read goes

	save func(row *rowWriter, r *Entry) // in the file of rows; nil if it isn't there
	load func(row *rowReader, r *Entry)
}

// writes say what replaces the value of a column.
type writes int

const (
	byCreation writes = 1 << iota
	byEdit
	byImport

	byAll = byCreation | byEdit | byImport
)

// fields are all fields of an entry, in the order in which changes are recorded.
var fields = []field{
	key("id", func(r *Entry) *string { return &r.ID }),
	text("external_id", func(r *Entry) *string { return &r.ExternalID }).reading("coalesce(r.external_id, '')"),
	text("type", func(r *Entry) *Type { return &r.Type }).writtenBy(byCreation | byImport).record(),
	text("name", func(r *Entry) *string { return &r.Name }).writtenBy(byAll).record(),
	text("description", func(r *Entry) *string { return &r.Description }).writtenBy(byAll).record().inWholeRows(),
	card(),
	text("header_image", func(r *Entry) *string { return &r.HeaderImage }).writtenBy(byAll).record(),
	tags().record(),
	authors().record(),
	people().writtenBy(byAll).record(),
	text("added_by", func(r *Entry) *string { return &r.AddedBy }).writtenBy(byAll).record(),
	text("privacy", func(r *Entry) *Privacy { return &r.Privacy }).writtenBy(byAll).record(),
	text("audience", func(r *Entry) *Audience { return &r.Audience }).writtenBy(byCreation | byEdit).record(),
	text("repository_url", func(r *Entry) *string { return &r.RepositoryURL }).writtenBy(byAll).record(),
	text("dataset_url", func(r *Entry) *string { return &r.DatasetURL }).writtenBy(byAll).record(),
	text("notebook_path", func(r *Entry) *string { return &r.NotebookPath }).writtenBy(byAll).record(),
	text("application_interface_id", func(r *Entry) *string { return &r.ApplicationInterfaceID }).writtenBy(byAll).record(),
	text("version", func(r *Entry) *string { return &r.Version }).writtenBy(byAll).record(),
	text("license", func(r *Entry) *string { return &r.License }).writtenBy(byAll).record(),
	text("doi", func(r *Entry) *string { return &r.DOI }).writtenBy(byAll).record(),
	list("funding", func(r *Entry) *[]Funding { return &r.Funding }).writtenBy(byAll).record().inWholeRows(),
	list("related_identifiers", func(r *Entry) *[]RelatedIdentifier { return &r.RelatedIdentifiers }).writtenBy(byAll).record().inWholeRows(),
	text("language", func(r *Entry) *string { return &r.Language }).writtenBy(byAll).record(),
	needs().writtenBy(byAll).record(),
	text("host_id", func(r *Entry) *string { return &r.HostID }).writtenBy(byCreation | byEdit),
	text("status", func(r *Entry) *Status { return &r.Status }).record(),
	text("state", func(r *Entry) *string { return &r.State }),
	flag("hidden", func(r *Entry) *bool { return &r.Hidden }).record(),
	text("hidden_reason", func(r *Entry) *string { return &r.HiddenReason }).record(),
	flag("featured_at", func(r *Entry) *bool { return &r.Featured }).reading("r.featured_at > 0").record(),
	issuedAt(),
	moment("created_at", func(r *Entry) *time.Time { return &r.CreatedAt }),
	moment("updated_at", func(r *Entry) *time.Time { return &r.UpdatedAt }),
	number("starters", "r.starters", func(r *Entry) *int { return &r.listed.starters }),
	number("", "(SELECT count(*) FROM star WHERE star.resource_id = r.id)", func(r *Entry) *int { return &r.StarCount }),
	lastRun(),
}

func (f field) writtenBy(those writes) field    { f.written = those; return f }
func (f field) reading(expression string) field { f.read = expression; return f }
func (f field) record() field                   { f.recorded = true; return f }
func (f field) inWholeRows() field              { f.alone = true; return f }

// key is the id, which begins each row of the file on its own.
func key(column string, at func(*Entry) *string) field {
	f := text(column, at).writtenBy(byCreation)
	f.save, f.load = nil, nil
	return f
}

func text[Text ~string](column string, at func(*Entry) *Text) field {
	return field{
		column: column, read: "r." + column,
		value: func(r *Entry) any { return string(*at(r)) },
		into:  func(r *Entry) any { return at(r) },
		save:  func(row *rowWriter, r *Entry) { row.text(string(*at(r))) },
		load:  func(row *rowReader, r *Entry) { *at(r) = Text(row.text()) },
	}
}

func flag(column string, at func(*Entry) *bool) field {
	return field{
		column: column, read: "r." + column,
		value: func(r *Entry) any { return *at(r) },
		into:  func(r *Entry) any { return at(r) },
		save:  func(row *rowWriter, r *Entry) { row.flag(*at(r)) },
		load:  func(row *rowReader, r *Entry) { *at(r) = row.flag() },
	}
}

// number is a number that the index knows, so that the file of rows doesn't have it.
func number(column, expression string, at func(*Entry) *int) field {
	return field{column: column, read: expression, value: func(r *Entry) any { return *at(r) }, into: func(r *Entry) any { return at(r) }}
}

func moment(column string, at func(*Entry) *time.Time) field {
	return field{
		column: column, read: "r." + column,
		value: func(r *Entry) any { return sqldb.Micros(*at(r)) },
		into: func(r *Entry) any {
			return scanned[int64](func(micros int64) error { *at(r) = sqldb.Time(micros); return nil })
		},
		save: func(row *rowWriter, r *Entry) { row.signed(at(r).UnixMicro()) },
		load: func(row *rowReader, r *Entry) { *at(r) = time.UnixMicro(row.signed()).UTC() },
	}
}

// issuedAt is stored as 0 until the entry was public.
func issuedAt() field {
	load := func(r *Entry, micros int64) {
		if micros != 0 {
			r.IssuedAt = new(sqldb.Time(micros))
		}
	}
	micros := func(r *Entry) int64 {
		if r.IssuedAt == nil {
			return 0
		}
		return sqldb.Micros(*r.IssuedAt)
	}
	return field{
		column: "issued_at", read: "r.issued_at",
		value: func(r *Entry) any { return micros(r) },
		into:  func(r *Entry) any { return scanned[int64](func(micros int64) error { load(r, micros); return nil }) },
		save:  func(row *rowWriter, r *Entry) { row.signed(micros(r)) },
		load:  func(row *rowReader, r *Entry) { load(r, row.signed()) },
	}
}

// list is a list that is stored as JSON.
func list[Item any](column string, at func(*Entry) *[]Item) field {
	return encoded(column, func(r *Entry) string { return storedList(*at(r)) }, func(r *Entry, stored string) (err error) {
		*at(r), err = loadList[Item](stored)
		return err
	})
}

func needs() field {
	return encoded("needs", func(r *Entry) string { return r.storedNeeds() }, func(r *Entry, stored string) (err error) {
		r.Needs, err = loadNeeds(stored)
		return err
	})
}

// encoded is a text that load turns into something else.
func encoded(column string, stored func(*Entry) string, load func(r *Entry, stored string) error) field {
	return field{
		column: column, read: "r." + column,
		value: func(r *Entry) any { return stored(r) },
		into:  func(r *Entry) any { return scanned[string](func(text string) error { return load(r, text) }) },
		save:  func(row *rowWriter, r *Entry) { row.text(stored(r)) },
		load:  func(row *rowReader, r *Entry) { row.damaged = load(r, row.text()) != nil || row.damaged },
	}
}

// card is the beginning of the description as lists show it. Only the file of rows has it.
func card() field {
	return field{
		save: func(row *rowWriter, r *Entry) { row.text(plainText(r.Description, cardLength)) },
		load: func(row *rowReader, r *Entry) { r.listed.card = row.text() },
	}
}

func tags() field {
	return field{
		column: "resource_tag.tag_id", value: func(r *Entry) any { return r.tagValues() },
		save: func(row *rowWriter, r *Entry) {
			row.count(len(r.Tags))
			for _, tag := range r.Tags {
				row.text(tag.ID)
				row.text(tag.Value)
			}
		},
		load: func(row *rowReader, r *Entry) {
			r.Tags = make([]Tag, row.count())
			for i := range r.Tags {
				r.Tags[i] = Tag{row.text(), row.text()}
			}
		},
	}
}

func authors() field {
	return field{
		column: "resource_author.email", value: func(r *Entry) any { return r.Authors },
		save: func(row *rowWriter, r *Entry) {
			row.count(len(r.Authors))
			for _, author := range r.Authors {
				row.text(author)
			}
		},
		load: func(row *rowReader, r *Entry) {
			r.Authors = make([]string, row.count())
			for i := range r.Authors {
				r.Authors[i] = row.text()
			}
		},
	}
}

// people are JSON in the database. The file of rows, where reading them has to be quick, has their texts.
func people() field {
	f := encoded("people", func(r *Entry) string { return r.storedPeople() }, func(r *Entry, stored string) (err error) {
		r.People, err = loadList[Credit](stored)
		return err
	})
	f.save = func(row *rowWriter, r *Entry) {
		row.count(len(r.People))
		for _, person := range r.People {
			var at Organization
			if person.Affiliation != nil {
				at = *person.Affiliation
			}
			for _, text := range []string{person.Name, person.ORCID, person.Email, string(person.Role), at.Name, at.ROR} {
				row.text(text)
			}
		}
	}
	f.load = func(row *rowReader, r *Entry) {
		count := row.count()
		if count == 0 {
			return
		}
		r.People = make([]Credit, count)
		for i := range r.People {
			person := Credit{Name: row.text(), ORCID: row.text(), Email: row.text(), Role: Role(row.text())}
			if at := (Organization{row.text(), row.text()}); at != (Organization{}) {
				person.Affiliation = &at
			}
			r.People[i] = person
		}
	}
	return f
}

// lastRun is JSON in the database and, for the same reason as people, single values in the file of rows.
func lastRun() field {
	f := encoded("last_run", func(r *Entry) string { return storedLastRun(r.LastRun) }, func(r *Entry, stored string) (err error) {
		r.LastRun, err = loadLastRun(stored)
		return err
	})
	f.save = func(row *rowWriter, r *Entry) {
		row.flag(r.LastRun != nil)
		if last := r.LastRun; last != nil {
			for _, text := range last.texts() {
				row.text(*text)
			}
			row.signed(last.At.UnixMicro())
			row.unsigned(math.Float64bits(last.Seconds))
			row.signed(last.PeakMemoryBytes)
			for _, count := range last.Cells.counts() {
				row.count(*count)
			}
			row.flag(last.Moved)
		}
	}
	f.load = func(row *rowReader, r *Entry) {
		if !row.flag() {
			return
		}
		last := &LastRun{}
		for _, text := range last.texts() {
			*text = row.text()
		}
		last.At = time.UnixMicro(row.signed()).UTC()
		last.Seconds = math.Float64frombits(row.unsigned())
		last.PeakMemoryBytes = row.signed()
		for _, count := range last.Cells.counts() {
			*count = int(row.unsigned())
		}
		last.Moved = row.flag()
		r.LastRun = last
	}
	return f
}

// scanned passes on a value that a query read.
type scanned[Value any] func(Value) error

// Scan implements sql.Scanner.
func (s scanned[Value]) Scan(found any) error {
	if bytes, ok := found.([]byte); ok {
		found = string(bytes)
	}
	value, ok := found.(Value)
	if !ok {
		return fmt.Errorf("a column has %T instead of %T", found, value)
	}
	return s(value)
}

// resourceColumns are what scanEntry reads.
var resourceColumns = func() string {
	var columns []string
	for _, one := range fields {
		if one.read != "" {
			columns = append(columns, one.read)
		}
	}
	return strings.Join(columns, ", ")
}()

func scanEntry(rows *sqldb.Rows) (Entry, error) {
	r := Entry{Tags: []Tag{}, Authors: []string{}}
	into := make([]any, 0, len(fields))
	for i := range fields {
		if fields[i].read != "" {
			into = append(into, fields[i].into(&r))
		}
	}
	err := rows.Scan(into...)
	return r, err
}

// columnsWrittenBy returns the columns with values that an entry decides about, for one kind of write.
func columnsWrittenBy(kind writes) (columns []string) {
	for _, one := range fields {
		if one.written&kind != 0 {
			columns = append(columns, one.column)
		}
	}
	return columns
}

func valuesWrittenBy(kind writes, r *Entry) (values []any) {
	for _, one := range fields {
		if one.written&kind != 0 {
			values = append(values, one.value(r))
		}
	}
	return values
}

// storedLastRun is the column of an entry's last run: "" without one.
func storedLastRun(last *LastRun) string {
	if last == nil {
		return ""
	}
	text, err := json.Marshal(last)
	if err != nil {
		panic(err) // numbers and texts
	}
	return string(text)
}

// storedPeople is the column people: "" if the authors say it all.
func (r Entry) storedPeople() string {
	for _, person := range r.People {
		if person != (Credit{Email: person.Email}) {
			return storedList(r.People)
		}
	}
	return ""
}

// storedList is a column of a JSON list: "" if the list is empty.
func storedList[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // plain texts
	}
	return string(text)
}

func loadList[T any](stored string) (list []T, err error) {
	if stored != "" {
		err = json.Unmarshal([]byte(stored), &list)
	}
	return list, err
}

func loadLastRun(text string) (*LastRun, error) {
	if text == "" {
		return nil, nil
	}
	last := new(LastRun)
	return last, json.Unmarshal([]byte(text), last)
}

// tagValues returns the tags in byte order.
func (r Entry) tagValues() []string {
	values := make([]string, len(r.Tags))
	for i, tag := range r.Tags {
		values[i] = tag.Value
	}
	slices.Sort(values)
	return values
}
