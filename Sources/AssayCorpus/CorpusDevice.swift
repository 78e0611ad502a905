import AssayTesting

/// A device of a corpus: who uses it and when, what its app has done so far, and what it does next.
struct CorpusDevice: Sendable {
    /// What a device is.
    enum Platform: Sendable {
        case apple(AppleCorpusDevice)
        case android(AndroidCorpusDevice)
        case pc
    }

    /// Something that a device does.
    enum Event: Sendable {
        /// The app is used.
        case request
        /// The app asks for an attestation once more.
        case attest
        /// The server asks for a new receipt.
        case receipt
        /// Evidence is sent again.
        case repetition(CorpusPlan)
    }

    private let name: String
    private let habits: CorpusHabits
    private var random: CorpusRandom
    private var platform: Platform
    private let firstDay: Int
    /// The day whose requests come next.
    private var day: Int
    /// The requests of the days so far that are still to come, the next one last.
    private var requests: [Int] = []
    /// What follows on what happened, by time, the next one last.
    private var consequences: [(time: Int, event: Event)] = []
    private var counts = [Int](repeating: 0, count: CorpusPopulation.allCases.count)

    init(_ index: Int, isApple: Bool, isPC: Bool, blueprint: CorpusBlueprint, calendar: CorpusCalendar) {
        var random = CorpusRandom(seed: blueprint.seed, "device/\(index)")
        habits = CorpusHabits(&random)
        let digits = String(index + 1)
        let word = isApple ? "ios" : isPC ? "pc" : "android"
        name = "\(word)-\(String(repeating: "0", count: max(0, 5 - digits.utf8.count)))\(digits)"
        // Most use the app from the beginning on, the others find it over time.
        firstDay = random.happens(perMille: 600) ? 0 : random.below(max(1, calendar.days * 7 / 10))
        day = firstDay
        if isApple {
            platform = .apple(AppleCorpusDevice(name: name, seed: blueprint.seed, &random))
        } else {
            platform = isPC ? .pc : .android(AndroidCorpusDevice(&random))
        }
        self.random = random
    }

    /// When the device does something next, and nil when it does nothing any more.
    mutating func nextTime(_ calendar: CorpusCalendar, average: Double) -> Int? {
        while requests.isEmpty, day < calendar.days {
            requests = habits.times(
                onDay: day, of: calendar, average: average, atLeast: day == firstDay ? 1 : 0, &random
            ).reversed()
            day += 1
        }
        switch (requests.last, consequences.last?.time) {
        case (let request?, let consequence?): return min(request, consequence)
        case (let request, let consequence): return request ?? consequence
        }
    }

    /// Performs the next event and returns the plan of its record. Requires that ``nextTime`` is not nil.
    mutating func next(_ calendar: CorpusCalendar, quotas: inout [CorpusQuota]) -> CorpusPlan? {
        let time: Int
        let event: Event
        if let consequence = consequences.last, requests.last.map({ consequence.time <= $0 }) ?? true {
            (time, event) = consequences.removeLast()
        } else if let request = requests.popLast() {
            (time, event) = (request, .request)
        } else {
            return nil
        }
        if case .repetition(var plan) = event {
            quotas[plan.population.rawValue].countRepetition()
            plan.id = newName(plan.population)
            plan.receivedAt = time
            plan.isRepetition = true
            repeatIfDue(plan, &quotas)
            return plan
        }
        let plan: CorpusPlan
        switch platform {
        case .apple(var device):
            plan = apple(&device, event, at: time, calendar, &quotas)
            platform = .apple(device)
        case .android(let device):
            // To sign in takes a classic token, and so does the first request.
            let isClassic = counts[CorpusPopulation.classic.rawValue] == 0 || random.happens(perMille: 150)
            plan = google(
                isClassic ? .classic : .standard, .android(device.facts(at: time, calendar, &random)), at: time, &quotas
            )
        case .pc:
            plan = google(.pc, .pc, at: time, &quotas)
        }
        if plan.defect == nil { repeatIfDue(plan, &quotas) }
        return plan
    }

    private mutating func apple(
        _ device: inout AppleCorpusDevice, _ event: Event, at time: Int, _ calendar: CorpusCalendar,
        _ quotas: inout [CorpusQuota]
    ) -> CorpusPlan {
        let population: CorpusPopulation
        switch event {
        case .receipt where device.isEnrolled: population = .receipt
        default: population = device.isEnrolled ? .assertion : .attestation
        }
        let madeAt = time - random.number(in: 400...3000)
        let id = newName(population)
        switch population {
        case .attestation: device.generateKey(attestation: id, at: madeAt)
        case .assertion: device.advance(&random)
        default: break
        }
        let plan = CorpusPlan(
            id: id, origin: id, population: population, receivedAt: time, madeAt: madeAt,
            details: .apple(device.facts(at: time, calendar)), defect: quotas[population.rawValue].next())
        switch (population, plan.defect) {
        case (.attestation, nil):
            device.isEnrolled = true
            follow(.request, at: time + random.number(in: 900...4000))
        case (.attestation, _):
            // The app tries once more; when that fails as well it waits for the next request.
            if case .request = event { follow(.attest, at: time + random.number(in: 20_000...60_000)) }
        case (.assertion, nil):
            if random.happens(perMille: 60) { follow(.receipt, at: time + random.number(in: 1000...5000)) }
            device.countRequest()
        default:
            break
        }
        return plan
    }

    private mutating func google(
        _ population: CorpusPopulation, _ details: CorpusPlan.Details, at time: Int, _ quotas: inout [CorpusQuota]
    ) -> CorpusPlan {
        let defect = quotas[population.rawValue].next()
        let isStale = defect == .freshness
        let madeAt = time - (isStale ? random.number(in: 400_000...7_200_000) : random.number(in: 300...6000))
        let id = newName(population)
        return CorpusPlan(
            id: id, origin: id, population: population, receivedAt: time, madeAt: madeAt, details: details,
            defect: defect)
    }

    /// Has accepted evidence sent again when that is due, which must be while the token is fresh.
    private mutating func repeatIfDue(_ plan: CorpusPlan, _ quotas: inout [CorpusQuota]) {
        let time = plan.receivedAt + random.number(in: 2000...15_000)
        guard plan.population.repetition != nil, time - plan.madeAt < 240_000,
            quotas[plan.population.rawValue].isRepetitionDue()
        else { return }
        follow(.repetition(plan), at: time)
    }

    private mutating func follow(_ event: Event, at time: Int) {
        let index = consequences.firstIndex { $0.time <= time } ?? consequences.endIndex
        consequences.insert((time, event), at: index)
    }

    private mutating func newName(_ population: CorpusPopulation) -> String {
        counts[population.rawValue] += 1
        let digits = String(counts[population.rawValue])
        let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
        return "\(name)-\(population.word)-\(zeros)\(digits)"
    }
}
