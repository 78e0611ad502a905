import Assay
import AssayCore
import AssayLedgerSQLite
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

@Suite("The operators of a service on the command line")
struct OperatorsCommandTests {
    private static let ledger = ["--ledger", "sqlite:ledger.sqlite"]

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> Run { try scratch.run(["operators"] + arguments + Self.ledger) }

    private func token(_ run: Run) throws -> String {
        #expect(run.status == 0, "\(run.errors)")
        return String(try #require(run.output.wholeMatch(of: /(assay_[A-Za-z0-9_-]{43})\n/)?.1, "\(run.output)"))
    }

    private func open() throws -> SQLiteLedger { try SQLiteLedger.open(path: scratch.path("ledger.sqlite")) }

    @Test("A token is printed once and alone, grants its role until revoked, and is not stored in the file")
    func life() async throws {
        let added = try run("add", "shop", "--role", "caller", "--for", "30d", "--operator", "eve")
        let token = try token(added)
        #expect(added.errors.contains("created a new ledger at ledger.sqlite"))
        #expect(
            added.errors.contains(/note: this is the token of operator shop, role caller, until \S+Z; it is a secret/))
        #expect(!added.errors.contains(token))
        let other = try self.token(run("add", "dashboard", "--role", "viewer", "--until", "2999-01-01T00:00:00Z"))
        #expect(other != token)

        let ledger = try open()
        let bearer = try #require(try await ledger.authenticate(token, at: Date()))
        #expect(bearer.name == "shop" && bearer.role == .caller && bearer.addedBy == "eve")
        #expect(abs(bearer.until.timeIntervalSince(bearer.addedAt) - 30 * 86_400) < 1)
        #expect(try await ledger.authenticate(token, at: bearer.until) == nil)
        let viewer = try #require(try await ledger.authenticate(other, at: Date()))
        #expect(viewer.role == .viewer && RFC3339.format(viewer.until) == "2999-01-01T00:00:00Z")

        // Another process revokes it while this one has the file open.
        let revoked = try run("revoke", "shop", "--operator", "ops")
        #expect(
            revoked.status == 0 && revoked.output == "operator shop, role caller, is revoked\n", "\(revoked.errors)")
        #expect(try await ledger.authenticate(token, at: bearer.addedAt) == nil)
        #expect(try await ledger.authenticate(other, at: Date()) != nil)
        try await ledger.close()

        let audit = try scratch.run(["audit", "list"] + Self.ledger)
        #expect(audit.lines.count == 3)
        #expect(
            audit.lines[0].contains(
                /^1  \S+Z  eve  add-operator  operator shop  role caller, until \S+Z, token hash [0-9a-f]{32}$/))
        #expect(
            audit.lines[2].contains(/^3  \S+Z  ops  revoke-operator  operator shop  it had the role caller until \S+Z$/)
        )
        let export = try scratch.run(["ledger", "export"] + Self.ledger)
        let entries = try export.json()
        #expect(entries.map { $0["entry"] as? String } == ["operator", "operator"])
        #expect(entries.map { $0["name"] as? String } == ["dashboard", "shop"])
        #expect(
            Set(entries[1].keys) == ["entry", "name", "role", "addedAt", "addedBy", "until", "revokedAt", "revokedBy"])
        #expect(try scratch.run(["ledger", "check"] + Self.ledger).status == 0)
        #expect(try scratch.run(["ledger", "show"] + Self.ledger).output.contains(/(?m)^active operators +1$/))
        let hash = try #require(OperatorToken(token)).hash
        for text in [audit.output, export.output, try run("list", "--all", "--json").output] {
            #expect(!text.contains(token.dropFirst(6)) && !text.contains(Data(hash).base64EncodedString()))
            #expect(!text.contains(hash.hexadecimal))
        }
        let file = try Data(contentsOf: scratch.folder.appendingPathComponent("ledger.sqlite"))
        #expect(file.range(of: Data(token.dropFirst(6).utf8)) == nil && file.range(of: Data(hash)) != nil)
    }

    @Test("The list shows live operators, and with --all also expired and revoked ones")
    func list() throws {
        let missing = try run("list")
        #expect(missing.status == 3 && missing.errors.contains("`assay operators add`"), "\(missing.errors)")
        _ = try token(run("add", "b", "--role", "admin", "--operator", "eve"))
        _ = try token(run("add", "a", "--role", "operator", "--for", "1y"))
        _ = try token(run("add", "c", "--role", "viewer"))
        #expect(try run("revoke", "c", "--operator", "ops").status == 0)
        let list = try run("list")
        #expect(list.lines.count == 3 && list.lines[0].hasPrefix("name  role      until"), "\(list.output)")
        #expect(list.lines[1].contains(#/^a     operator  \S+Z +live /#))
        #expect(list.lines[2].contains(/^b     admin     \S+Z +live +\S+Z +eve$/))
        let all = try run("list", "--all")
        #expect(all.lines.count == 4 && all.lines[3].contains(#/^c     viewer    \S+Z +revoked at \S+Z by ops +\S+Z /#))
        let json = try run("list", "--all", "--json").json()
        #expect(json.map { $0["state"] as? String } == ["live", "live", "revoked"])
        #expect(json[1]["addedBy"] as? String == "eve" && json[2]["revokedBy"] as? String == "ops")
        for name in ["a", "b"] { #expect(try run("revoke", name).status == 0) }
        let none = try run("list")
        #expect(none.status == 0 && none.output.isEmpty)
        #expect(
            none.errors.contains("has no active operators; --all lists 3 that ended or were revoked"), "\(none.errors)")
    }

    @Test("The name of a live operator is taken, of a revoked one free; an unknown name gets a suggestion")
    func names() throws {
        let first = try token(run("add", "shop", "--role", "caller"))
        let taken = try run("add", "shop", "--role", "admin")
        #expect(taken.status == 1 && taken.output.isEmpty)
        #expect(taken.errors.contains(/error: there is an operator shop already, until \S+Z; choose another name/))
        let near = try run("revoke", "shob")
        #expect(near.status == 1 && near.errors.contains("has no operator shob; did you mean shop?"), "\(near.errors)")
        #expect(try run("revoke", "shop").status == 0)
        let again = try run("revoke", "shop")
        #expect(again.status == 1 && again.errors.contains("operator shop was revoked before"), "\(again.errors)")
        #expect(try token(run("add", "shop", "--role", "caller")) != first)
        #expect(try run("list", "--all", "--json").json().count == 2)
    }

    @Test("A revocation with descendants revokes each operator that was added by the name, and prints all of them")
    func descendants() throws {
        for (name, author) in [("boss", "ops"), ("child", "boss"), ("grandchild", "child"), ("other", "ops")] {
            _ = try token(run("add", name, "--role", "admin", "--operator", author))
        }
        let alone = try run("revoke", "boss")
        #expect(alone.output == "operator boss, role admin, is revoked\n", "\(alone)")
        #expect(try run("list").lines.count == 4)
        let all = try run("revoke", "boss", "--with-descendants", "--operator", "eve")
        #expect(
            all.output == "operator child, role admin, is revoked\noperator grandchild, role admin, is revoked\n",
            "\(all)")
        #expect(try run("list").lines.map { $0.prefix { $0 != " " } } == ["name", "other"])
        let again = try run("revoke", "boss", "--with-descendants")
        #expect(again.status == 1 && again.errors.contains("and so was every operator that it added"), "\(again)")
        let audit = try scratch.run(["audit", "list", "--operator", "eve"] + Self.ledger)
        #expect(
            audit.lines.count == 2
                && audit.lines.allSatisfy { $0.hasSuffix("with operator boss, as one of its descendants") },
            "\(audit.output)")
        #expect(try scratch.run(["audit", "verify"] + Self.ledger).status == 0)
    }

    @Test("An expired token can be revoked, which frees its name")
    func ended() async throws {
        let ledger = try open()
        let past = LedgerOperator(
            name: "old", role: .admin, addedAt: Date(timeIntervalSince1970: 1_700_000_000), addedBy: nil,
            until: Date(timeIntervalSince1970: 1_700_000_060))
        #expect(try await ledger.addOperator(past, tokenHash: [UInt8](repeating: 1, count: 32)) == nil)
        try await ledger.close()
        #expect(try run("list", "--all").lines.last?.contains(#/^old   admin  2023-11-14T22:14:20Z  ended /#) == true)
        let revoked = try run("revoke", "old")
        #expect(
            revoked.output == "operator old, role admin, is revoked; it had ended at 2023-11-14T22:14:20Z\n",
            "\(revoked.errors)")
        _ = try token(run("add", "old", "--role", "viewer"))
    }

    @Test(
        "On a terminal a revocation asks and accepts only yes; --yes does not ask",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "script is not installed"))
    func confirmation() throws {
        _ = try token(run("add", "shop", "--role", "caller"))
        func revoke(_ answer: String, _ options: String = "") throws -> Run {
            let command = #"'"$ASSAY" operators revoke shop --ledger sqlite:ledger.sqlite \#(options)'"#
            return try scratch.shell(#"printf '\#(answer)\n' | script -qec \#(command) /dev/null"#)
        }
        let refused = try revoke("y")
        #expect(refused.output.contains("This revokes the token of operator shop in sqlite:ledger.sqlite. Type yes"))
        #expect(refused.output.contains("nothing was changed"), "\(refused.output)")
        #expect(try run("list").lines.count == 2)
        let confirmed = try revoke("yes")
        #expect(confirmed.output.contains("operator shop, role caller, is revoked"), "\(confirmed.output)")
        _ = try token(run("add", "shop", "--role", "caller"))
        let forced = try revoke("", "--yes")
        #expect(forced.output.contains("is revoked") && !forced.output.contains("Type yes"), "\(forced.output)")
    }

    @Test("If a token cannot be printed, it is lost, and the message says what to do")
    func lostToken() throws {
        let add = #""$ASSAY" operators add shop --role caller --ledger sqlite:ledger.sqlite >/dev/full"#
        let lost = try scratch.shell(add)
        #expect(lost.status == 74, "\(lost.errors)")
        #expect(lost.errors.contains("operator shop was added, and its token is lost; revoke it and add it again"))
        #expect(!lost.errors.contains("assay_"))
        #expect(try run("revoke", "shop").status == 0)
        _ = try token(run("add", "shop", "--role", "caller"))
    }

    @Test("Invalid arguments add nothing and are answered with the allowed values")
    func usage() throws {
        let role = ["--role", "caller"]
        let table: [(arguments: [String], words: String)] = [
            (["add", "x"], "--role"), (["add"] + role, "name"),
            (["add", "x", "--role", "calle"], "did you mean caller?"), (["add", "x", "--role", "root"], "admin"),
            (["add", "x", "--for", "1d", "--until", "2999-01-01T00:00:00Z"] + role, "exclude each other"),
            (["add", "x", "--until", "2000-01-01T00:00:00Z"] + role, "has passed already"),
            (["add", "x", "--until", "never"] + role, "RFC 3339"),
            (["add", "x", "--for", "0d"] + role, "1s to 36500d"),
            (["add", ""] + role, "1 to 255 bytes"), (["add", " x"] + role, "no space at its ends"),
            (["add", "a\nb"] + role, "no control or invisible characters"),
            (["add", String(repeating: "x", count: 256)] + role, "1 to 255 bytes"),
            (["add", "x", "--operator", ""] + role, "1 to 255 bytes"), (["revoke"], "name"),
            (["add", "root"] + role, "no operator's token made"),
            (["add", "Unix-Socket"] + role, "choose another one"),
            (["add", "user 1000"] + role, "choose another one"),
            (["remove", "x"], "revoke"),
        ]
        for (arguments, words) in table {
            let run = try scratch.run(["operators"] + arguments + Self.ledger)
            #expect(run.status == 64 && run.errors.contains(words), "\(arguments): \(run.errors)")
            #expect(!run.output.contains("assay_"))
        }
        let memory = try scratch.assay("operators", "add", "x", "--role", "caller", "--ledger", "memory:")
        #expect(memory.status == 64 && memory.errors.contains("keeps nothing"), "\(memory.errors)")
        #expect(try run("revoke", "x").status == 3)
        #expect(!scratch.exists("ledger.sqlite"))
    }
}
