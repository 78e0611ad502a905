import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// What the service has signed for the app: the pins of servers, and the keys that may sign the next configuration.
///
/// A value: whether it is the one in use is up to ``Pinning``.
public struct SignedConfiguration: Sendable, Equatable {
    /// How the app treats pins. All but `pin` are set by an operator for one device, for at most a day.
    public enum Mode: String, Sendable, Decodable {
        /// The pins count.
        case pin
        /// No host has pins.
        case unpin
        /// Each host that has pins is refused.
        case block
        /// The app's backend too.
        case blockAll
    }

    /// A key that a server may have.
    public struct Pin: Sendable, Equatable, Decodable {
        /// SHA-256 of the SubjectPublicKeyInfo (DER), 32 bytes.
        public let hash: Data
        /// From when to when it counts, both included, in seconds since 1970; nil without this end.
        public let notBefore, notAfter: Int?

        private enum CodingKeys: String, CodingKey { case pin, notBefore, notAfter }

        /// Reads the member of a configuration.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            let text = try members.decode(String.self, forKey: .pin)
            guard let hash = Data(base64Encoded: text), hash.count == 32, hash.base64EncodedString() == text else {
                throw DecodingError.dataCorruptedError(forKey: .pin, in: members, debugDescription: "no pin")
            }
            self.hash = hash
            notBefore = try members.decodeIfPresent(Int.self, forKey: .notBefore)
            notAfter = try members.decodeIfPresent(Int.self, forKey: .notAfter)
        }
    }

    /// A public key on P-256 as a JSON Web Key with a name.
    private struct Key: Sendable, Equatable, Decodable {
        let kid: String
        let point: Data

        private enum CodingKeys: String, CodingKey { case kty, crv, x, y, kid }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            func text(_ key: CodingKeys) throws -> String { try members.decode(String.self, forKey: key) }
            guard try text(.kty) == "EC", try text(.crv) == "P-256",
                let x = Data(base64URL: try text(.x)), let y = Data(base64URL: try text(.y)),
                let key = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
            else { throw DecodingError.dataCorruptedError(forKey: .x, in: members, debugDescription: "no key") }
            (kid, point) = (try text(.kid), key.x963Representation)
        }
    }

    private struct Claims: Sendable, Equatable, Decodable {
        let iss, aud: String
        let iat, version, force: Int
        let pins: [String: [Pin]]
        let keys: [Key]
        let mode: Mode?
        let did: String?
        let exp: Int?
    }

    /// Why a text does not count: a word for telemetry.
    struct Refusal: Error, Equatable {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// The compact JWT.
    let text: String
    private let kid: String
    private let claims: Claims

    /// The issuer of the app's tokens.
    public var issuer: String { claims.iss }
    /// The app's name in Assay's policy.
    public var app: String { claims.aud }
    /// Grows with each change.
    public var version: Int { claims.version }
    /// An app that uses an earlier version than this one may not connect to hosts with pins; 0 for never.
    public var force: Int { claims.force }

    /// Reads a configuration without verifying its signature.
    init(_ text: String) throws(Refusal) {
        let parts = text.utf8.count > 1 << 20 ? [] : text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Data(base64URL: String(parts[0])),
            let header = try? JSONSerialization.jsonObject(with: head) as? [String: Any],
            let type = header["typ"] as? String, type.isSame(as: "assay-configuration+jwt"),
            let algorithm = header["alg"] as? String, algorithm.isSame(as: "ES256"), header["crit"] == nil,
            let kid = header["kid"] as? String, let payload = Data(base64URL: String(parts[1])),
            let claims = try? JSONDecoder().decode(Claims.self, from: payload),
            (1...Self.greatest).contains(claims.version), (0...claims.version).contains(claims.force),
            !claims.keys.isEmpty
        else { throw Refusal("form") }
        if let mode = claims.mode {
            let life = claims.exp?.subtractingReportingOverflow(claims.iat)
            guard mode != .pin, claims.did != nil, let life, !life.overflow, life.partialValue <= 86400 else {
                throw Refusal("mode")
            }
        }
        (self.text, self.kid, self.claims) = (text, kid, claims)
    }

    /// 2^53 - 1: the greatest integer that every reader of JSON knows.
    private static let greatest = 1 << 53 - 1

    /// What follows from a text that comes while this configuration is in use.
    ///
    /// - Parameter device: the name of this device's key; nil without one.
    /// - Returns: the configuration to use from now on; nil if this one stays.
    func successor(_ text: String, device: String?) throws(Refusal) -> SignedConfiguration? {
        let new = try SignedConfiguration(text)
        guard let key = claims.keys.first(where: { $0.kid.isSame(as: new.kid) }) else { throw Refusal("key") }
        let end = text.lastIndex(of: ".") ?? text.endIndex
        guard let bytes = Data(base64URL: String(text[end...].dropFirst())),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes),
            let key = try? P256.Signing.PublicKey(x963Representation: key.point),
            key.isValidSignature(signature, for: Data(text[..<end].utf8))
        else { throw Refusal("signature") }
        guard new.isOfSameApp(as: self) else { throw Refusal("app") }
        guard new.version >= version else { throw Refusal("version") }
        if new.claims.mode != nil {
            guard let device, new.claims.did?.isSame(as: device) == true else { throw Refusal("device") }
        }
        let isSame = new.claims.mode == claims.mode && new.claims.exp == claims.exp
        return new.version == version && (new.claims.mode == nil ? claims.mode == nil : isSame) ? nil : new
    }

    /// Whether issuer and app are those of the other one.
    func isOfSameApp(as other: SignedConfiguration) -> Bool {
        issuer.isSame(as: other.issuer) && app.isSame(as: other.app)
    }

    /// The mode at a time in seconds since 1970.
    public func mode(at time: Int) -> Mode {
        guard let mode = claims.mode, let end = claims.exp, time < end else { return .pin }
        return mode
    }

    /// The pins of a host: its own, else those of `*`. Empty if it is not pinned.
    public func pins(of host: String) -> [Pin] { claims.pins[Self.lookUp(host)] ?? claims.pins["*"] ?? [] }

    /// The hosts that the configuration names; `*` stands for all others.
    public var hosts: [String] { claims.pins.keys.sorted() }

    private static func lookUp(_ host: String) -> String {
        let host = host.lowercased()
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// Whether a connection may be used.
    ///
    /// - Parameters:
    ///   - host: to which it leads.
    ///   - keys: SHA-256 of the SubjectPublicKeyInfo of each certificate that the server has presented.
    ///   - time: seconds since 1970.
    ///   - backend: the host of the app's backend.
    public func verdict(on host: String, keys: [Data], at time: Int, backend: String) -> PinVerdict {
        let pins = pins(of: host)
        switch mode(at: time) {
        case .unpin: return .unpinned
        case .blockAll where Self.lookUp(host) == Self.lookUp(backend): return .refused
        case .block, .blockAll: return pins.isEmpty ? .unpinned : .refused
        case .pin:
            guard !pins.isEmpty else { return .unpinned }
            let counting = pins.filter { ($0.notBefore ?? .min) <= time && time <= ($0.notAfter ?? .max) }
            return counting.contains { keys.contains($0.hash) } ? .allowed : .refused
        }
    }
}

/// Whether a connection may be used.
public enum PinVerdict: String, Sendable {
    /// A certificate of the server has a pin of the host.
    case allowed
    /// None has, or an operator has blocked the device.
    case refused
    /// The host has no pins.
    case unpinned
}

extension Data {
    /// Decodes base64url without padding (RFC 4648 section 5); nil for another text.
    init?(base64URL text: String) {
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        self.init(base64Encoded: standard + padding)
        guard base64URL.isSame(as: text) else { return nil }
    }
}

extension String {
    /// Equal byte for byte: `==` takes other characters for equal too.
    func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
