import AssayTesting

/// The plans of a corpus in the order of reception. Memory grows with the number of devices, not with the number of
/// records.
struct CorpusSchedule: Sendable {
    private let calendar: CorpusCalendar
    private let average: Double
    private var devices: [CorpusDevice] = []
    private var quotas: [CorpusQuota]
    /// A binary heap of the devices by the time of their next event. Of equal times, the device with the lower index is
    /// first.
    private var heap: [(time: Int, device: Int)] = []

    /// - Parameter average: The average number of requests per device and day.
    init(_ blueprint: CorpusBlueprint, average: Double) {
        let calendar = CorpusCalendar(blueprint)
        self.calendar = calendar
        self.average = average
        var random = CorpusRandom(seed: blueprint.seed, "shares")
        quotas = CorpusPopulation.allCases.map { CorpusQuota($0, shares: blueprint.shares, random: &random) }
        let share = blueprint.appleShare.partsPerMillion
        var others = 0
        for index in 0..<blueprint.devices {
            let isApple = (index + 1) * share / 1_000_000 > index * share / 1_000_000
            if !isApple { others += 1 }
            devices.append(
                CorpusDevice(index, number: isApple ? nil : others, blueprint: blueprint, calendar: calendar))
        }
        for index in devices.indices {
            if let time = devices[index].nextTime(calendar, average: average) { push((time, index)) }
        }
    }

    /// The part of the period that the plans so far cover, in thousandths.
    var progress: Int { heap.first.map { max(0, calendar.progress(at: $0.time)) } ?? 1000 }

    /// The next plan; nil at the end.
    mutating func next() -> CorpusPlan? {
        while let index = heap.first?.device {
            let plan = devices[index].next(calendar, quotas: &quotas)
            if let time = devices[index].nextTime(calendar, average: average) {
                heap[0].time = time
            } else {
                heap[0] = heap[heap.count - 1]
                heap.removeLast()
            }
            sink()
            if let plan { return plan }
        }
        return nil
    }

    private func precedes(_ first: Int, _ second: Int) -> Bool {
        (heap[first].time, heap[first].device) < (heap[second].time, heap[second].device)
    }

    private mutating func push(_ entry: (time: Int, device: Int)) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, precedes(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, least) {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

extension CorpusSchedule {
    /// The schedule of a blueprint, with at least the number of records that it demands.
    static func fitting(_ blueprint: CorpusBlueprint) throws(MintingError) -> CorpusSchedule {
        guard let wanted = blueprint.records else {
            return CorpusSchedule(blueprint, average: blueprint.requestsPerDeviceDay)
        }
        var average = Double(wanted) / Double(blueprint.devices * blueprint.days)
        // The number of records that a request rate gives is found by trial: devices start later, and evidence is
        // repeated.
        for _ in 0..<8 {
            var trial = CorpusSchedule(blueprint, average: average)
            var count = 0
            while count < wanted, trial.next() != nil { count += 1 }
            if count == wanted { return CorpusSchedule(blueprint, average: average) }
            average *= Double(wanted) / Double(max(count, 1)) * 1.01
        }
        throw MintingError(
            "\(wanted) records are too many for \(blueprint.devices) devices on \(blueprint.days) days and these shares"
        )
    }
}
