import AndroidKey
import FoundationEssentials

/// A status list with what its server said about it.
struct HeldStatusList: Sendable {
    /// The list; its `fetchedAt` is when the server sent or confirmed it.
    let list: AttestationStatusList
    /// When the server sent or confirmed it, less the time that caches held the answer.
    let checkedAt: Date
    /// The same in ``ClientTime/uptime``, which no step of the wall clock changes.
    let checkedUptime: Duration
    /// How long it may be used without asking again, in seconds from `checkedAt`.
    let lifetime: Double
    /// The `ETag` of the answer, for conditional requests.
    let entityTag: String?
    /// The `Last-Modified` of the answer, for conditional requests.
    let lastModified: String?

    init(
        _ list: AttestationStatusList, checkedAt: Date, lifetime: Double, entityTag: String?, lastModified: String?,
        _ time: ClientTime
    ) {
        // A time in the future would make the list younger than it is.
        let checkedAt = min(checkedAt, time.now())
        self.list = AttestationStatusList(list, fetchedAt: checkedAt)
        self.checkedAt = checkedAt
        checkedUptime = time.uptime() - .seconds(time.now().timeIntervalSince(checkedAt))
        (self.lifetime, self.entityTag, self.lastModified) = (lifetime, entityTag, lastModified)
    }

    /// The list plus the entries of expired certificates from the former list. Returns self if the result would be too
    /// large.
    func retaining(expiredOf former: HeldStatusList?, _ time: ClientTime) -> HeldStatusList {
        guard let former, let list = try? list.retaining(expiredOf: former.list, at: time.now()),
            list.digest != self.list.digest
        else { return self }
        return HeldStatusList(
            list, checkedAt: checkedAt, lifetime: lifetime, entityTag: entityTag, lastModified: lastModified, time)
    }

    /// The age in seconds: the larger of wall-clock age and uptime age.
    func age(_ time: ClientTime) -> Double {
        max(time.now().timeIntervalSince(checkedAt), (time.uptime() - checkedUptime).inSeconds)
    }

    /// Whether it may be used without asking the server.
    func isFresh(_ time: ClientTime) -> Bool { age(time) < lifetime }

    /// Whether the server is to be asked although the list is fresh, so that no judgement waits when it no longer is.
    /// - Parameter share: the part of the lifetime after which it is.
    func isDue(_ time: ClientTime, after share: Double) -> Bool { age(time) >= lifetime * share }
}
