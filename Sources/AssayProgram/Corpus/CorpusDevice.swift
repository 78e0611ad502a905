/// Simulates a device: schedules its events and plans their records.
struct CorpusDevice: Sendable {
    /// The platform and its state.
    enum Platform: Sendable {
        case apple(AppleCorpusDevice)
        case android(AndroidCorpusDevice)
        case androidKey(AndroidKeyCorpusDevice)
        case pc
    }

    /// A scheduled event.
    enum Event: Sendable {
        /// The user uses the app.
        case request
        /// The app retries a rejected attestation.
        case attest
        /// The server refreshes the receipt.
        case receipt
        /// Accepted evidence is sent again.
        case repetition(CorpusPlan)
    }

    private let name: String
    private let habits: CorpusHabits
    private var random: CorpusRandom
    private var platform: Platform
    private let firstDay: Int
    /// The next day to schedule.
    private var day: Int
    /// The remaining requests of the scheduled days, latest first.
    private var requests: [Int] = []
    /// Events that follow from earlier ones, latest first.
    private var consequences: [(time: Int, event: Event)] = []
    private var counts = [Int](repeating: 0, count: CorpusPopulation.allCases.count)

    /// - Parameter number: the number of the device among those that are not Apple's; nil for one that is.
    init(_ index: Int, number: Int?, blueprint: CorpusBlueprint, calendar: CorpusCalendar) {
        var random = CorpusRandom(seed: blueprint.seed, "device/\(index)")
        habits = CorpusHabits(&random)
        let digits = String(index + 1)
        let isPC = number.map { $0 % 20 == 10 } ?? false
        let word = number == nil ? "ios" : isPC ? "pc" : "android"
        name = "\(word)-\(String(repeating: "0", count: max(0, 5 - digits.utf8.count)))\(digits)"
        // 60% of the devices use the app from the first day; the others start within the first 70% of the period.
        firstDay = random.happens(perMille: 600) ? 0 : random.below(max(1, calendar.days * 7 / 10))
        day = firstDay
        if let number {
            // The apps of every second phone attest a key, in place of asking Google for tokens.
            platform =
                isPC
                ? .pc
                : number.isMultiple(of: 2)
                    ? .android(AndroidCorpusDevice(&random)) : .androidKey(AndroidKeyCorpusDevice(name: name, &random))
        } else {
            platform = .apple(AppleCorpusDevice(name: name, seed: blueprint.seed, &random))
        }
        self.random = random
    }

    /// The time of the next event; nil if there is none.
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
        case .androidKey(var device):
            plan = androidKey(&device, event, at: time, calendar, &quotas)
            platform = .androidKey(device)
        case .android(let device):
            // The first request signs in with a classic token, as do 15% of the later ones.
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
        case .receipt where device.installation.isEnrolled: population = .receipt
        default: population = device.installation.isEnrolled ? .assertion : .attestation
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
        if population == .attestation {
            conclude(attestation: event, plan, of: &device.installation)
        } else if population == .assertion, plan.defect == nil {
            if random.happens(perMille: 60) { follow(.receipt, at: time + random.number(in: 1000...5000)) }
            device.installation.countRequest()
        }
        return plan
    }

    /// Schedules what follows an attestation: a request, or another attempt.
    private mutating func conclude(
        attestation event: Event, _ plan: CorpusPlan, of installation: inout CorpusInstallation
    ) {
        if plan.defect == nil {
            installation.isEnrolled = true
            follow(.request, at: plan.receivedAt + random.number(in: 900...4000))
        } else if case .request = event {
            // Retry once. If that fails too, wait for the next request.
            follow(.attest, at: plan.receivedAt + random.number(in: 20_000...60_000))
        }
    }

    private mutating func androidKey(
        _ device: inout AndroidKeyCorpusDevice, _ event: Event, at time: Int, _ calendar: CorpusCalendar,
        _ quotas: inout [CorpusQuota]
    ) -> CorpusPlan {
        let population: CorpusPopulation = device.installation.isEnrolled ? .keyRequest : .keyAttestation
        let defect = quotas[population.rawValue].next()
        let madeAt =
            time - (defect == .freshness ? random.number(in: 100_000...7_200_000) : random.number(in: 400...3000))
        if population == .keyAttestation { device.installation.generation += 1 }
        let id = newName(population)
        let plan = CorpusPlan(
            id: id, origin: id, population: population, receivedAt: time, madeAt: madeAt,
            details: .androidKey(device.facts(at: time, calendar)), defect: defect)
        if population == .keyAttestation {
            conclude(attestation: event, plan, of: &device.installation)
        } else if defect == nil {
            device.installation.countRequest()
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

    /// Schedules a repetition of accepted evidence if the quota demands one and the token is still fresh by then.
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
