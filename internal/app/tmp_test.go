package app
import ("testing";"time";"fmt";"cairn/internal/sqldb";"cairn/internal/sqldb/sqldbtest")
func TestTmp(t *testing.T){ text:=generatedLines(100_000); sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB){ n:=time.Now(); if err:=importText(t.Context(),db,text);err!=nil{t.Fatal(err)}; fmt.Println(t.Name(),"first",time.Since(n)); n=time.Now(); if err:=importText(t.Context(),db,text);err!=nil{t.Fatal(err)}; fmt.Println("again",time.Since(n))
})}
