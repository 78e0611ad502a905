import FoundationEssentials

/// How long an answer may be used (RFC 9111 sections 4.2 and 5.2.2).
struct CacheLifetime: Sendable, Equatable {
    /// The lifetime of an answer that states none.
    static let standard = 300.0
    /// The shortest one, whatever the answer says: otherwise each judgement would ask the server.
    static let shortest = 60.0
    /// The longest one, whatever the answer says: an answer with a longer one would delay revocations.
    static let longest = 6 * 3600.0

    /// The age of the answer, in seconds: the time for which caches on the way held it, or that since its `Date`, whichever is more
    /// (RFC 9111 section 4.2.3).
    let age: Double
    /// The lifetime of the answer, in seconds from when its server made it.
    let lifetime: Double

    /// Reads the fields of an answer to a request that was sent at a time. `Cache-Control` and `Date` count as missing if they are
    /// malformed. Nil if `Age` is malformed or repeated: a list of unknown age must not count as new.
    init?(_ answer: HTTPAnswer, asked: Date) {
        var age = max(0, answer.field("Date").flatMap(HTTPDate.parse).map { asked.timeIntervalSince($0) } ?? 0)
        if let text = answer.field("Age") {
            guard let seconds = CacheLifetime.seconds(text) else { return nil }
            age = max(age, seconds)
        }
        self.init(cacheControl: answer.field("Cache-Control"), age: age)
    }

    private init(cacheControl: String?, age: Double) {
        var stated: Double?
        for directive in (cacheControl ?? "").split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { part in
                part.trimmed().lowercased()
            }
            switch parts.first {
            case "no-store", "no-cache": stated = 0
            case "max-age":
                // The first one counts, as RFC 9111 section 4.2.1 suggests.
                guard stated == nil, parts.count == 2 else { continue }
                stated = CacheLifetime.seconds(parts[1])
            default: continue
            }
        }
        self.age = age
        // The limits apply to the remaining lifetime, because a cached answer may already be old.
        let left = min(
            max((stated ?? CacheLifetime.standard + age) - age, CacheLifetime.shortest), CacheLifetime.longest)
        lifetime = age + left
    }

    /// The seconds of a field; nil for another form. Longer numbers count as about 30 years.
    private static func seconds(_ text: String) -> Double? {
        let digits = Substring(text).trimmed().utf8
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.count <= 9 ? Double(String(decoding: digits, as: UTF8.self)) : 1e9
    }
}

extension Substring {
    /// Without the spaces and tabs around it.
    fileprivate func trimmed() -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let bytes = Array(utf8.drop(while: isSpace))
        return String(decoding: bytes.reversed().drop(while: isSpace).reversed(), as: UTF8.self)
    }
}
