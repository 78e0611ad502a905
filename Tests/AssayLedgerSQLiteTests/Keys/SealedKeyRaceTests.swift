import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Several processes on one key store", .serialized)
struct SealedKeyRaceTests {
    private func process(_ fixture: SealedKeyFixture) throws -> StressProcess {
        let process = try StressProcess()
        try #require(try process.ask("open \(fixture.folder.path()) 20000") == "ok")
        try #require(try process.ask("master \(SealedKeyFixture.masterText)") == "ok")
        return process
    }

    @Test("If two processes add keys with the same names, each name is given once, and every key opens")
    func adding() async throws {
        let fixture = try SealedKeyFixture()
        let processes = [try process(fixture), try process(fixture)]
        for process in processes { try process.send("seal k 200") }
        var sealed: [String] = []
        var taken = 0
        for process in processes {
            while case let line = try process.readLine(), line != "done" {
                if line.hasPrefix("sealed ") { sealed.append(String(line.dropFirst(7))) }
                if line.hasPrefix("taken ") { taken += 1 }
            }
        }
        #expect(sealed.count == 200 && Set(sealed).count == 200 && taken == 200)
        let secrets = try await SealedKeyFixture.store(on: fixture.ledger).secrets()
        #expect(secrets.count == 200)
        #expect(secrets.allSatisfy { $0.value == "secret of \($0.key)" })
    }

    @Test("After kill -9 during additions no acknowledged key is lost, and every stored key opens")
    func kill() async throws {
        let fixture = try SealedKeyFixture()
        for round in 0..<5 {
            let process = try process(fixture)
            try process.send("seal r\(round) 100000")
            var acknowledged: [String] = []
            for _ in 0..<(10 + 7 * round) { acknowledged.append(try process.readLine()) }
            process.kill()
            acknowledged += try process.remainingLines()
            let secrets = try await SealedKeyFixture.store(on: fixture.ledger).secrets()
            for line in acknowledged {
                let name = String(line.dropFirst("sealed ".count))
                try #require(secrets[name] == "secret of \(name)", "\(line)")
            }
            #expect(secrets.allSatisfy { $0.value == "secret of \($0.key)" })
        }
        #expect(try await fixture.ledger.check(Verifier.problem(withKey:)) == [])
    }
}
