import AssayLedgerPostgreSQL
import Testing

@Suite("URLs of ledgers in PostgreSQL")
struct URLTests {
    @Test(
        "URLs of one ledger have one identity, however they are spelt, and what a service file holds is told apart",
        arguments: [
            ("postgresql://a@db.example/x", "postgres://b@DB.example:5432/x?timeout=5&schema=assay", true),
            ("postgresql://one,two/x", "postgresql://two,one/x", true),
            ("postgresql://db/x?service=a", "postgresql://db/x?service=a&timeout=5", true),
            ("postgresql:///?service=a", "postgresql:///?service=b", false),
            ("postgresql://db:5432/x?service=a", "postgresql://db:5432/x?service=b", true),
            ("postgresql://db/x", "postgresql://db/y", false),
            ("postgresql://db/x", "postgresql://db/x?schema=b", false),
            ("postgresql://db:1/x", "postgresql://db:2/x", false),
        ])
    func identities(_ one: String, _ other: String, _ isSame: Bool) {
        let (one, other) = (PostgreSQLLedger.identity(of: one), PostgreSQLLedger.identity(of: other))
        #expect((one == other) == isSame, "\(one) \(other)")
    }

    @Test(
        "A URL that names a ledger is read",
        arguments: [
            "postgresql://assay@db.example.com/assay", "postgres:///assay", "PostgreSQL://assay@db/assay",
            "postgresql://assay@a,b:5433/assay?target_session_attrs=read-write&sslmode=verify-full",
            "postgresql://%2Ftmp%2Fsocket/assay?schema=ledger_2&durability=waived&pooler=transaction&timeout=3",
            "postgresql://assay@db/assay?pooler=session",
            "postgresql://assay@[::1]:5432/assay?passfile=/etc/assay/pgpass",
        ])
    func valid(_ url: String) { #expect(PostgreSQLLedger.objection(to: url) == nil) }

    @Test(
        "A wrong URL is refused, and the message names what is wrong and no password",
        arguments: [
            ("postgresql://assay:s3cret@db/assay", "PGPASSWORD"),
            ("postgresql://assay:s3/cret@db/assay", "PGPASSWORD"),
            ("postgresql://assay:s3?cret@db/assay", "PGPASSWORD"),
            ("postgresql://assay@db/assay?password=s3cret", "has password"),
            ("postgresql://assay@db/assay?PassWord=s3cret", "has PassWord"),
            ("postgresql://assay@db/assay?sslpassword=s3cret", "has sslpassword"),
            ("Postgresql://assay:s3cret@db/assay", "PGPASSWORD"),
            ("postgresql://assay@db/assay?pass%77ord=s3cret", "has password"),
            ("postgresql://assay@db/assay?pass%77ord=s3cret%zz", "has password"),
            ("postgresql://assay@db/assay?connect_timeout=0", "1 to 600 seconds"),
            ("postgresql://assay@db/assay?schema=Ledger", "schema=Ledger"),
            ("postgresql://assay@db/assay?schema=pg_catalog", "schema=pg_catalog"),
            ("postgresql://assay@db/assay?schema=a&schema=b", "schema twice"),
            ("postgresql://assay@db/assay?durability=none", "durability=waived"),
            ("postgresql://assay@db/assay?pooler=statement", "pooler=transaction"),
            ("postgresql://assay@db/assay?timeout=0", "1 to 600 seconds"),
            ("postgresql://assay@db/assay?colour=red", "colour"), ("postgresql://assay@db/a\u{0}b", "NUL"),
            ("mysql://db", "postgresql://"),
        ])
    func invalid(_ url: String, _ part: String) {
        let message = PostgreSQLLedger.objection(to: url)?.description ?? ""
        #expect(message.contains(part))
        #expect(!message.contains("s3") && !message.contains("cret"))
    }
}
