import Foundation
import Testing

@testable import AssayClient

/// Numbers of a seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

/// What the server and the phone know, whatever the kit believes.
private struct World {
    struct Challenge {
        var ends: Int
        var isUsed = false
    }

    var now = 1_800_000_000_000
    /// The device's clock less the true time.
    var skew = 0
    var keys: Set<String> = []
    var attestations: [String: Int] = [:]
    var enrolled: Set<String> = []
    var challenges: [String: Challenge] = [:]
    var count = 0
    var generated: [Int] = []
    var callsOfApple = 0
    /// Requests that the server has executed.
    var executed: [String: Int] = [:]

    mutating func name(_ prefix: String) -> String {
        count += 1
        return "\(prefix)\(count)"
    }
}

/// The driver's core, two processes with one storage, in a world where everything can fail. Each step is one event that the
/// actor would take.
private final class Schedule {
    private var random: SeededNumbers
    private let seed: UInt64
    private var world = World()
    private let storage = FaultyStorage()
    private let name = StateName("state", .named("a", "production", ""))
    private var processes: [StoredModel?] = [nil, nil]
    private var pending: [(process: Int, action: ClientModel.Action)] = []
    /// Operations under way: how often each was sent.
    private var open: [String: Int] = [:]
    private var signatures: [String: (key: String, nonce: String?)] = [:]
    private(set) var ended = 0
    private(set) var judged = 0
    private(set) var causes: [String: Int] = [:]
    /// Challenges on which the kit has seen a verdict, or which stood in a request that was sent.
    private var spent: Set<String> = []

    init(seed: UInt64) {
        self.seed = seed
        random = SeededNumbers(state: seed)
    }

    private func check(_ condition: Bool, _ what: String) throws {
        try #require(condition, "seed \(seed): \(what)")
    }

    func run(steps: Int) throws {
        for _ in 0..<steps {
            world.now += [0, 5, 200, 3000, 40_000, 400_000][Int.random(in: 0..<6, using: &random)]
            if random.chance(1) { world.now += 30_000_000 }
            try event()
        }
        // Everything works from here on: each operation ends.
        storage.isBroken = false
        world.skew = 0
        var left = 3000
        while !open.isEmpty {
            try check(left > 0, "operations without end: \(open.keys)")
            left -= 1
            if pending.isEmpty {
                world.now += 100_000
                for index in processes.indices { try handle(index, .wake(network: false)) }
            } else {
                let next = pending.removeFirst()
                try answer(next.process, next.action, fails: false)
            }
        }
    }

    private func event() throws {
        if !pending.isEmpty, random.chance(60) {
            let next = pending.remove(at: Int.random(in: 0..<pending.count, using: &random))
            return try answer(next.process, next.action, fails: random.chance(12))
        }
        if storage.isBroken, random.chance(20) { storage.isBroken = false }
        let index = Int.random(in: 0..<2, using: &random)
        switch Int.random(in: 0..<1000, using: &random) {
        case 0..<20:
            // The process ends: its calls and requests end with it.
            processes[index] = nil
            pending.removeAll { $0.process == index }
            for id in open.keys where id.hasPrefix("\(index)-") { open[id] = nil }
        case 20..<30: world.skew = Int.random(in: -200_000...200_000, using: &random)
        case 30: world.keys = []
        case 31: world.enrolled = []
        case 36..<46: storage.isBroken = true
        case 100..<200: try handle(index, .wake(network: random.chance(30)))
        case 200..<240: try handle(index, .prefetch)
        case 240..<280:
            guard let id = open.keys.filter({ $0.hasPrefix("\(index)-") }).min() else { return }
            try handle(index, .cancel(op: id))
            open[id] = nil
        default:
            guard open.count < 12, processes[index] != nil || load(index) else { return }
            let id = world.name("\(index)-")
            open[id] = 0
            try handle(index, .need(op: id, fresh: random.chance(20)))
        }
    }

    /// A process begins. False if the storage cannot be read: the app's call then ends with an error.
    private func load(_ index: Int) -> Bool {
        guard let model = try? StoredModel(storage: storage, name: name, process: "p\(index)", keysADay: 3) else {
            return false
        }
        processes[index] = model
        take(index, .start(app: "1", system: "1", installation: "i", unsupported: nil))
        return true
    }

    /// As the actor does: calls of the app and the timer look at the storage first, answers do not.
    private func handle(_ index: Int, _ event: ClientModel.Event) throws {
        guard processes[index] != nil else { return }
        let jitter = Int.random(in: 0...1000, using: &random)
        switch event {
        case .need, .wake, .prefetch:
            if let actions = try? processes[index]?.refresh(now: world.now + world.skew, jitter: jitter) {
                try execute(index, actions)
            }
        default: break
        }
        take(index, event)
        try execute(index, taken)
    }

    private var taken: [ClientModel.Action] = []

    private func take(_ index: Int, _ event: ClientModel.Event) {
        let jitter = Int.random(in: 0...1000, using: &random)
        taken = processes[index]?.step(event, now: world.now + world.skew, jitter: jitter) ?? []
    }

    private func execute(_ index: Int, _ actions: [ClientModel.Action]) throws {
        for action in actions {
            switch action {
            case .done(let id):
                try check(open.removeValue(forKey: id) != nil, "\(id) ends twice")
                ended += 1
                judged += 1
            case .fail(let id, let failure):
                try check(open.removeValue(forKey: id) != nil, "\(id) ends twice")
                try check(!AssayClientError(failure).message.isEmpty, "an error without a sentence")
                ended += 1
                causes[failure.cause, default: 0] += 1
            case .makeKey, .attest:
                // Apple is called only for what is stored: else a restart would call again.
                try check(processes[index]?.isSaved == true, "a call of Apple before its record is stored")
                if case .makeKey = action { world.generated.append(world.now) }
                pending.append((index, action))
            case .send(let id), .sendWithoutEvidence(let id, _, _):
                open[id, default: 0] += 1
                try check((open[id] ?? 0) <= 8, "\(id) is sent again and again")
                pending.append((index, action))
            case .submit(_, _, let challenge, _):
                try check(!spent.contains(challenge), "a challenge is sent after the verdict on it")
                pending.append((index, action))
            case .deleteKey, .wait, .report: break
            default: pending.append((index, action))
            }
        }
    }

    /// The world's answer to a call.
    private func answer(_ index: Int, _ action: ClientModel.Action, fails: Bool) throws {
        let date = random.chance(50) ? world.now : nil
        let failure = ClientModel.Failure(cause: "network", sent: random.chance(50))
        switch action {
        case .getChallenge(let turn):
            if fails { return try handle(index, .callFailed(turn: turn, call: .challenge, failure, date: nil)) }
            let value = world.name("c")
            world.challenges[value] = .init(ends: world.now + 300_000)
            try handle(index, .challenge(turn: turn, value: value, life: 300, date: date))
        case .makeKey(let turn, _):
            world.callsOfApple += 1
            if fails { return try handle(index, .platformFailed(turn: turn, call: .makeKey, .later, code: "dc:0")) }
            let key = world.name("k")
            world.keys.insert(key)
            try handle(index, .keyMade(turn: turn, key: key))
        case .attest(let turn, let key, _):
            world.callsOfApple += 1
            let class_: PlatformClass = random.chance(95) ? .later : .keyGone
            if fails { return try handle(index, .platformFailed(turn: turn, call: .attest, class_, code: "dc:4")) }
            guard world.keys.contains(key), world.attestations[key] == nil else {
                return try handle(index, .platformFailed(turn: turn, call: .attest, .keyGone, code: "dc:3"))
            }
            world.attestations[key, default: 0] += 1
            try check(world.attestations[key] == 1, "\(key) is attested twice")
            try handle(index, .attested(turn: turn, evidence: key))
        case .submit(let turn, let key, let challenge, _):
            let isNew = world.challenges[challenge].map { !$0.isUsed && world.now < $0.ends } ?? false
            let arrives = !fails || failure.sent
            if arrives, isNew {
                world.challenges[challenge]?.isUsed = true
                world.enrolled.insert(key)
            }
            if fails { return try handle(index, .callFailed(turn: turn, call: .submit, failure, date: nil)) }
            spent.insert(challenge)
            try handle(
                index,
                isNew
                    ? .enrolled(turn: turn, date: date)
                    : .refused(turn: turn, remedy: .newChallenge, code: nil, retryAfter: nil, date: date))
        case .getRequestChallenge(let id):
            if fails { return try handle(index, .requestChallengeFailed(op: id, failure, date: nil)) }
            let value = world.name("c")
            world.challenges[value] = .init(ends: world.now + 300_000)
            try handle(index, .requestChallenge(op: id, value: value, date: date))
        case .sign(let id, let key, _, let nonce):
            if fails {
                return try handle(index, .signFailed(op: id, random.chance(95) ? .again : .keyGone, code: "dc:0"))
            }
            guard world.keys.contains(key) else {
                return try handle(index, .signFailed(op: id, .keyGone, code: "dc:3"))
            }
            signatures[id] = (key, nonce)
            try handle(index, .signed(op: id))
        case .send(let id):
            guard let signature = signatures[id] else { return }
            var remedy: Remedy?
            if let nonce = signature.nonce {
                // A challenge serves one signature.
                try check(spent.insert(nonce).inserted, "a challenge is signed and sent twice")
                let isNew = world.challenges[nonce].map { !$0.isUsed && world.now < $0.ends } ?? false
                if !isNew { remedy = .newChallenge }
            }
            if !world.enrolled.contains(signature.key) { remedy = .newAttestation }
            if remedy == nil, !fails || failure.sent {
                if let nonce = signature.nonce { world.challenges[nonce]?.isUsed = true }
                world.executed[id, default: 0] += 1
                try check(world.executed[id] == 1, "\(id) is executed twice")
            }
            if fails { return try handle(index, .sendFailed(op: id, failure, date: nil)) }
            if remedy == nil, random.chance(10), world.executed[id] == nil { remedy = .retry }
            try handle(
                index,
                remedy.map { .rejected(op: id, remedy: $0, code: nil, retryAfter: nil, date: date) }
                    ?? .judged(op: id, date: date))
        case .sendWithoutEvidence(let id, _, _):
            try handle(index, fails ? .sendFailed(op: id, failure, date: nil) : .judged(op: id, date: date))
        case .deleteKey, .done, .fail, .wait, .report: break
        }
    }

    /// Rules over the whole run.
    func checkCounts() throws {
        let day = 24 * 3_600_000
        for time in world.generated {
            // A clock that is set back forgets a key that was made in what is then the future.
            let made = world.generated.filter { $0 > time - day + 1_000_000 && $0 <= time }.count
            try check(made <= 4, "\(made) keys in a day")
        }
        try check(world.attestations.values.allSatisfy { $0 == 1 }, "a key is attested twice")
    }

    var callsOfApple: Int { world.callsOfApple }
}

/// A storage that sometimes fails.
private final class FaultyStorage: StateStorage, @unchecked Sendable {
    private let memory = MemoryStorage()
    var isBroken = false

    func read(_ name: StateName) throws -> StoredState? {
        if isBroken { throw StorageFailure("broken") }
        return try memory.read(name)
    }

    func write(_ data: Data?, to name: StateName, replacing version: String?) throws -> StoredState? {
        if isBroken { throw StorageFailure("broken") }
        return try memory.write(data, to: name, replacing: version)
    }
}

struct ScheduleTests {
    /// `ASSAY_CLIENT_STEPS` says how many steps; the seeds are those from `ASSAY_CLIENT_SEED` on.
    @Test func everyOperationEnds() throws {
        let environment = ProcessInfo.processInfo.environment
        var left = environment["ASSAY_CLIENT_STEPS"].flatMap { Int($0) } ?? 30_000
        var seed = environment["ASSAY_CLIENT_SEED"].flatMap { UInt64($0) } ?? 1
        var (ended, judged, calls) = (0, 0, 0)
        var causes: [String: Int] = [:]
        while left > 0 {
            let schedule = Schedule(seed: seed)
            try schedule.run(steps: 300)
            try schedule.checkCounts()
            (ended, judged, calls) = (ended + schedule.ended, judged + schedule.judged, calls + schedule.callsOfApple)
            causes.merge(schedule.causes, uniquingKeysWith: +)
            left -= 300
            seed += 1
        }
        // The schedule is not one of failures alone, and Apple is called far less often than requests are sent.
        #expect(judged * 4 > ended, "\(judged) of \(ended) operations were judged; the others failed by \(causes)")
        #expect(calls < ended, "\(calls) calls of Apple for \(ended) operations")
    }
}
