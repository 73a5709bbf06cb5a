package sqldb_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// A new table is either copied or left out on purpose.
func TestEveryTableIsCopiedOrLeftOut(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		rows, err := db.QueryContext(t.Context(), tablesQuery(t))
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var found []string
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			found = append(found, name)
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
		known := slices.Concat(sqldb.Tables, sqldb.LeftOut)
		slices.Sort(found)
		slices.Sort(known)
		if !slices.Equal(found, known) {
			t.Errorf("the schema has %v, copy.go %v", found, known)
		}
	})
}

func tablesQuery(t *testing.T) string {
	t.Helper()
	if strings.HasSuffix(t.Name(), "/postgres") {
		return `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'goose_db_version'`
	}
	return `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version'`
}

// copied writes all tables of a database as text.
func copied(t *testing.T, db *sqldb.DB) map[string]string {
	t.Helper()
	snapshot, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	texts := map[string]string{}
	for _, table := range sqldb.Tables {
		var text bytes.Buffer
		if err := snapshot.WriteTable(t.Context(), table, &text, nil); err != nil {
			t.Fatal(err)
		}
		texts[table] = text.String()
	}
	return texts
}

func load(ctx context.Context, db *sqldb.DB, texts map[string]string) error {
	return db.Write(ctx, func(tx *sqldb.Tx) error {
		for _, table := range sqldb.Tables {
			if err := tx.LoadTable(ctx, table, strings.NewReader(texts[table])); err != nil {
				return err
			}
		}
		return nil
	})
}

func fill(t *testing.T, db *sqldb.DB) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO account (id, issuer, subject, email, name, created_at, updated_at) VALUES ('b', 'i', 's1', 'é@x', 'B', 1, 2), ('B', 'i', 's2', 'z@x', 'line
break <&> "', 3, 4), ('a', 'i', 's3', 'a@x', '', 5, 9007199254740993)`,
		`INSERT INTO account_grant (email, enabled, role, updated_at) VALUES ('a@x', TRUE, 'operator', 1), ('b@x', FALSE, '', 2)`,
		`INSERT INTO tag VALUES ('t1', 'ä'), ('t2', 'z'), ('t3', 'Z'), ('t4', '数')`,
		`INSERT INTO meta VALUES ('k-1', 'v'), ('k1', 'v'), ('k 1', 'v')`,
		`UPDATE change_counter SET seq = 41`,
		`INSERT INTO resource (id, type, name, description, header_image, privacy, status, state, repository_url, dataset_url, notebook_path,
			application_interface_id, version, created_at, updated_at) VALUES ('r', 'NOTEBOOK', 'R', '', '', 'PUBLIC', '', 'ACTIVE', '', '', '', '', '', 1, 1)`,
		`INSERT INTO run (id, resource_id, file, ref, started_by, account_id, engine, state, queued_at, seconds)
			VALUES ('x', 'r', '', '', 'author', 'a', 'local', 'DONE', 1, 14.993004894), ('y', 'r', '', '', 'author', 'a', 'local', 'DONE', 2, 15)`,
	} {
		if err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCopiesAreEqualOnBothSystems(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		texts := copied(t, db)
		if !strings.Contains(texts["account"], `"name":"line\nbreak <&> \"","created_at":3,`) || !strings.Contains(texts["account_grant"], `"enabled":true`) {
			t.Errorf("%s%s", texts["account"], texts["account_grant"])
		}
		other := sqldbtest.SQLite(t, time.Now)
		if err := load(t.Context(), other, texts); err != nil {
			t.Fatal(err)
		}
		back := sqldbtest.SQLite(t, time.Now)
		again := copied(t, other)
		if err := load(t.Context(), back, again); err != nil {
			t.Fatal(err)
		}
		for name, found := range map[string]map[string]string{"on SQLite": again, "and back": copied(t, back)} {
			for _, table := range sqldb.Tables {
				if found[table] != texts[table] {
					t.Errorf("%s %s:\n%swant:\n%s", name, table, found[table], texts[table])
				}
			}
		}
		if err := load(t.Context(), db, texts); err == nil { // over rows that others refer to
			if after := copied(t, db); after["tag"] != texts["tag"] {
				t.Errorf("%s", after["tag"])
			}
		}
	})
}

// A copy is of one moment, while writers go on.
func TestASnapshotIsOfOneMoment(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		before := copied(t, db)
		snapshot, err := db.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer snapshot.Close()
		if err := db.SetMeta(t.Context(), "later", "v"); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := snapshot.WriteTable(t.Context(), "meta", &text, nil); err != nil {
			t.Fatal(err)
		}
		if text.String() != before["meta"] {
			t.Errorf("%s", text.String())
		}
		text.Reset()
		keep := func(row map[string]any) bool { return row["key"] == "k1" }
		if err := snapshot.WriteTable(t.Context(), "meta", &text, keep); err != nil || text.String() != `{"key":"k1","value":"v"}`+"\n" {
			t.Errorf("%v %s", err, text.String())
		}
	})
}

func TestDamagedRowsAreRefused(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	fill(t, db)
	texts := copied(t, db)
	for what, text := range map[string]string{
		"no JSON": "{", "a column is missing": `{"id":"x"}`, "a part of a number": `{"id":"a","value":1.5}`, "no object": `[1]`,
	} {
		damaged := map[string]string{"tag": text}
		for _, table := range sqldb.Tables {
			if table != "tag" {
				damaged[table] = texts[table]
			}
		}
		other := sqldbtest.SQLite(t, time.Now)
		err := load(t.Context(), other, damaged)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "Row 1 of the table tag") {
			t.Errorf("%s: %v", what, err)
		}
		if empty, err := other.IsEmpty(t.Context()); err != nil || !empty {
			t.Errorf("%s: %v %v", what, empty, err)
		}
	}
}
