import AssayCore
import FoundationEssentials

extension LedgerContract {
    static let operatorCases: [AdministrationCase] = [
        AdministrationCase("an operator is found by the hash of its token, until its end") { ledger in
            let alice = Sample.operator("alice", role: .viewer)
            let bob = Sample.operator("bob", role: .admin, lasting: 60)
            try await ledger.add(alice, 1)
            try await ledger.add(bob, 2)
            try expectEqual(try await ledger.live(1), alice, "the operator of the first token")
            try expectEqual(try await ledger.live(2, at: Sample.later(59.5)), bob, "the operator just before its end")
            for late in [60.0, 60.5] {
                try expectEqual(try await ledger.live(2, at: Sample.later(late)), nil, "an operator that has ended")
            }
            for hash in [Sample.bytes(3), [], Sample.bytes(1, count: 31), Sample.bytes(1, count: 33)] {
                let found = try await ledger.liveOperator(tokenHash: hash, at: Sample.now)
                try expectEqual(found, nil, "the operator of a hash that is not stored")
            }
        },
        AdministrationCase("a revoked operator is found no more, at any time") { ledger in
            let alice = Sample.operator("alice")
            try await ledger.add(alice, 1)
            try await ledger.add(Sample.operator("bob"), 2)
            let revoked = try await ledger.revokeOperator(named: "alice", by: "eve", at: Sample.later(60))
            try expectEqual(revoked, alice, "the operator as it was")
            for seconds in [-60, 0, 59, 60, 61.0] {
                try expectEqual(try await ledger.live(1, at: Sample.later(seconds)), nil, "a revoked operator")
            }
            try expectEqual(try await ledger.live(2)?.name, "bob", "the operator that was not revoked")
            for name in ["alice", "Bob", ""] {
                let none = try await ledger.revokeOperator(named: name, by: "eve", at: Sample.later(61))
                try expectEqual(none, nil, "the operator of a name to revoke, \(name)")
            }
        },
        AdministrationCase("a live operator's name is taken; that of an ended or revoked one is not") { ledger in
            let first = Sample.operator("alice", lasting: 60)
            try await ledger.add(first, 1)
            let rival = Sample.operator("alice", role: .admin, addedAt: Sample.later(59))
            try await ledger.refuse(rival, 2, .nameTaken("alice", until: Sample.later(60)))
            try expectEqual(try await ledger.live(2), nil, "the operator of a refused token")
            // Two Unicode spellings of one word are two names.
            try await ledger.add(Sample.operator("caf\u{E9}"), 3)
            try await ledger.add(Sample.operator("cafe\u{301}"), 4)
            let second = Sample.operator("alice", addedAt: Sample.later(60), lasting: 60)
            try await ledger.add(second, 2)
            try expectEqual(
                try await ledger.revokeOperator(named: "alice", by: nil, at: Sample.later(61)), second,
                "the operator that was revoked")
            // A process whose clock is behind finds neither operator.
            try expectEqual(try await ledger.live(1, at: Sample.later(30)), nil, "an ended operator of a revoked name")
            try await ledger.add(Sample.operator("alice", addedAt: Sample.later(62)), 5)
            try expectEqual(
                try await ledger.operators(),
                [
                    first.revoked(by: nil, at: Sample.later(61)), second.revoked(by: nil, at: Sample.later(61)),
                    Sample.operator("alice", addedAt: Sample.later(62)), Sample.operator("cafe\u{301}"),
                    Sample.operator("caf\u{E9}"),
                ], "all operators")
        },
        AdministrationCase("an operator has a name, an end to come and a token of its own") { ledger in
            try await ledger.add(Sample.operator("alice"), 1)
            for name in ["", " a", "a\n", "a\u{202E}b", String(repeating: "x", count: 256)] {
                let refusal = try await ledger.addOperator(Sample.operator(name), tokenHash: Sample.bytes(9))
                guard case .invalidName = refusal else {
                    throw ContractViolation(
                        message: "the name \(name.debugDescription) gave \(String(describing: refusal))")
                }
            }
            try await ledger.refuse(Sample.operator("bob", lasting: 0), 2, .endPassed(Sample.now))
            try await ledger.refuse(Sample.operator("bob", lasting: -1), 2, .endPassed(Sample.later(-1)))
            try await ledger.refuse(Sample.operator("bob"), 1, .tokenTaken)
            try await ledger.revokeOperator(named: "alice", by: "eve", at: Sample.now)
            try await ledger.refuse(Sample.operator("bob"), 1, .tokenTaken)
            try expectEqual(try await ledger.operators().map(\.name), ["alice"], "the operators")
            try expectEqual(try await ledger.trail().count, 2, "the changes by hand")
        },
        AdministrationCase("operators that are added and revoked are in the audit trail, once, without their tokens") {
            ledger in
            let alice = Sample.operator("alice", role: .operator)
            try await ledger.add(alice, 1)
            try await ledger.refuse(alice, 2, .nameTaken("alice", until: alice.until))
            try await ledger.revokeOperator(named: "alice", by: "eve", at: Sample.later(1))
            try await ledger.revokeOperator(named: "alice", by: "eve", at: Sample.later(2))
            try expectEqual(
                try await ledger.trail().map(\.change),
                [
                    LedgerChange(
                        at: Sample.now, operatorName: "ops", action: .addOperator, subject: "operator alice",
                        detail: "role operator, until 2026-04-21T19:13:12Z, token hash "
                            + Array(Sample.bytes(1).prefix(16)).hexadecimal),
                    LedgerChange(
                        at: Sample.later(1), operatorName: "eve", action: .revokeOperator, subject: "operator alice",
                        detail: "it had the role operator until 2026-04-21T19:13:12Z"),
                ], "the audit trail")
        },
        AdministrationCase(
            "a revocation with descendants revokes whom the operator added, and nobody else, in one step"
        ) { ledger in
            func add(_ name: String, by author: String?, _ seed: UInt8, after seconds: Double) async throws {
                let now = Sample.later(seconds)
                let new = LedgerOperator(
                    name: name, role: .admin, addedAt: now, addedBy: author, until: Sample.later(1_000_000))
                try await ledger.add(new, seed)
            }
            try await add("boss", by: "root", 1, after: 0)
            try await add("other", by: "root", 2, after: 1)
            try await add("child", by: "boss", 3, after: 2)
            try await add("grandchild", by: "child", 4, after: 3)
            try await add("of other", by: "other", 5, after: 4)
            // An operator of that name was added by another one before the operator was there.
            try await add("older", by: "grandchild", 6, after: -7200)
            try expectEqual(
                try await ledger.revokeOperator(
                    named: "boss", withDescendants: true, by: "eve", at: Sample.later(10)
                ).map(\.name), ["boss", "child", "grandchild"], "the operators that were revoked")
            for (seed, isLive) in [(1, false), (2, true), (3, false), (4, false), (5, true), (6, true)] {
                let found = try await ledger.live(UInt8(seed), at: Sample.later(11)) != nil
                try expectEqual(found, isLive, "whether the token of operator \(seed) counts")
            }
            let entries = try await ledger.trail().suffix(3).map(\.change)
            try expectEqual(entries.map(\.action), Array(repeating: .revokeOperator, count: 3), "the last entries")
            try expectEqual(
                entries.map { $0.detail.hasSuffix("revoked with operator boss, as one of its descendants") },
                [false, true, true], "the entries that name the operator")
            try expectEqual(
                try await ledger.revokeOperator(named: "boss", withDescendants: true, by: "eve", at: Sample.later(11)),
                [], "operators that were revoked before")
            // The operator was revoked alone first.
            try await ledger.revokeOperator(named: "other", by: "eve", at: Sample.later(12))
            try expectEqual(
                try await ledger.revokeOperator(
                    named: "other", withDescendants: true, by: "eve", at: Sample.later(13)
                ).map(\.name), ["of other"], "the descendants of an operator that was revoked before")
            try expectEqual(try await ledger.replayAudit { _ in }, [], "the differences from the audit trail")
        },
        AdministrationCase("names that the audit trail has for authors without a token are refused") { ledger in
            for name in ["root", "Root", "unix-socket", "UNIX-SOCKET", "(not named)", "user 1000", "User 0"] {
                let refusal = try await ledger.addOperator(Sample.operator(name), tokenHash: Sample.bytes(9))
                guard case .invalidName = refusal else {
                    throw ContractViolation(message: "the name \(name) gave \(String(describing: refusal))")
                }
            }
            for (seed, name) in ["rooted", "user", "user x", "user 1000 b"].enumerated() {
                try await ledger.add(Sample.operator(name), UInt8(seed))
            }
        },
        AdministrationCase("of operators that race for one name exactly one is added") { ledger in
            for round in UInt8(0)..<10 {
                let name = "operator \(round)"
                let added = try await withThrowingTaskGroup(of: UInt8?.self) { group in
                    for writer in UInt8(0)..<16 {
                        let seed = round * 16 + writer
                        group.addTask {
                            let new = Sample.operator(name, lasting: 60 + Double(writer))
                            return try await ledger.addOperator(new, tokenHash: Sample.bytes(seed)) == nil ? seed : nil
                        }
                    }
                    return try await group.reduce(into: [UInt8]()) { if let seed = $1 { $0.append(seed) } }
                }
                try expectEqual(added.count, 1, "operators of one name that were added")
                for seed in round * 16..<round * 16 + 16 {
                    let live = try await ledger.live(seed) != nil
                    try expectEqual(live, added.first == seed, "whether the token counts, of writer \(seed)")
                }
            }
            try expectEqual(try await ledger.trail().count, 10, "the changes by hand")
        },
        AdministrationCase("a look-up that begins after a revocation has returned finds no operator") { ledger in
            for round in UInt8(1)...10 {
                let name = "operator \(round)"
                try await ledger.add(Sample.operator(name), round)
                try expectEqual(try await ledger.live(round)?.name, name, "the operator before its revocation")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            // Some lookups begin before the revocation and find either the operator or nothing.
                            for _ in 0..<10 {
                                let found = try await ledger.live(round)
                                try expect(found == nil || found?.name == name, "another operator was found")
                            }
                        }
                    }
                    group.addTask {
                        try await ledger.revokeOperator(named: name, by: "eve", at: Sample.now)
                        try expectEqual(try await ledger.live(round), nil, "the operator after its revocation")
                    }
                    try await group.waitForAll()
                }
            }
        },
    ]
}

extension LedgerAdministration {
    /// Adds an operator, which the ledger must do.
    fileprivate func add(_ new: LedgerOperator, _ seed: UInt8) async throws {
        try expectEqual(try await addOperator(new, tokenHash: Sample.bytes(seed)), nil, "an operator to be added")
    }

    /// Adds an operator, which the ledger must refuse for exactly this reason.
    fileprivate func refuse(_ new: LedgerOperator, _ seed: UInt8, _ refusal: OperatorRefusal) async throws {
        try expectEqual(try await addOperator(new, tokenHash: Sample.bytes(seed)), refusal, "an operator to be refused")
    }

    fileprivate func live(_ seed: UInt8, at now: Date = Sample.now) async throws -> LedgerOperator? {
        try await liveOperator(tokenHash: Sample.bytes(seed), at: now)
    }
}
