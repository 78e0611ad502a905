import AssayTesting
import Foundation
import Testing

@Suite(
    "Approov tokens, ours and those of other implementations",
    .enabled(if: Peer.isDemanded, Comment(rawValue: Peer.hint)), .serialized)
struct ApproovTokenPeerTests {
    private let peer: Peer

    init() throws { peer = try Peer() }

    /// An algorithm, what our mint signs with, and the key as verifiers and makers have it.
    private struct Account {
        let algorithm: String
        let form: ApproovTokenBlueprint.Form
        let verification: Peer.Key
        let signing: Peer.Key
        let keys: ApproovTestKeys

        /// PyJWT knows no encrypted tokens.
        var libraries: [Peer.Library] { algorithm == "A256GCMKW" ? [.joserfc] : [.joserfc, .pyjwt] }

        func blueprint(_ claims: ApproovClaimsBlueprint) -> ApproovTokenBlueprint {
            var blueprint = ApproovTokenBlueprint(keys: keys, claims: claims)
            blueprint.form = form
            return blueprint
        }
    }

    private func account(_ algorithm: String) throws -> Account {
        var keys = try ApproovTestKeys()
        switch algorithm {
        case "HS256":
            return Account(
                algorithm: algorithm, form: .signed, verification: .secret(keys.secret), signing: .secret(keys.secret),
                keys: keys)
        case "A256GCMKW":
            return Account(
                algorithm: algorithm, form: .encrypted, verification: .secret(keys.encryptionKey),
                signing: .secret(keys.encryptionKey), keys: keys)
        case "ES256":
            return Account(
                algorithm: algorithm, form: .signedES256, verification: .pem(keys.signingKeyFile),
                signing: .pem(keys.signingKey.pem), keys: keys)
        default:
            let pair = try peer.makeKey(algorithm)
            keys.rsaKey = try RSATestKey(pem: pair.private)
            return Account(
                algorithm: algorithm, form: .signedRS256, verification: .pem(pair.public), signing: .pem(pair.private),
                keys: keys)
        }
    }

    private func ours(_ account: Account) throws -> OurApproov {
        // The key of encryption is derived from the secret, which only our side does.
        let key = account.form == .encrypted ? Peer.Key.secret(account.keys.secret) : account.verification
        return try OurApproov(account.algorithm, key)
    }

    /// Claims that all sides can write and read: the order and the spelling of numbers are each one's own.
    private func claims(expiringIn seconds: Double) -> ApproovClaimsBlueprint {
        var claims = ApproovClaimsBlueprint(
            expiresAt: Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + seconds).rounded(.down)),
            deviceID: Data(Samples.bytes(16)).base64EncodedString())
        if Bool.random() { claims.bind(to: ["Bearer \(Samples.bytes(8))"]) }
        if Bool.random() { claims[.annotations] = ["rooted", "with \u{E9} and \" and \\"] }
        if Bool.random() { claims.measure(ApproovTestMeasurements()) }
        return claims
    }

    /// Whether a peer takes a token, with the claims that are expected.
    private func accepts(_ token: String, _ account: Account, _ claims: [UInt8], _ library: Peer.Library) throws -> Bool
    {
        let answer = try peer.ask(
            ["op": "verify-jwt", "token": token], account.algorithm, account.verification, library)
        guard let found = answer["result"] as? NSDictionary else {
            guard answer["error"] is String else { throw Peer.Failure(description: "no answer: \(answer)") }
            return false
        }
        let expected = try JSONSerialization.jsonObject(with: Data(claims)) as? NSDictionary
        #expect(found == expected, "\(library) reads other claims in \(token)")
        return true
    }

    @Test(
        "the peers verify our tokens with the same claims, and refuse each flipped bit",
        arguments: ["HS256", "RS256", "ES256", "A256GCMKW"])
    func minted(algorithm: String) throws {
        let account = try account(algorithm)
        let ours = try ours(account)
        for round in 0..<50 {
            let minted = try account.blueprint(claims(expiringIn: 240)).mint()
            #expect(ours.failures(of: minted.token) == [])
            for library in account.libraries {
                #expect(try accepts(minted.token, account, minted.claims, library), "\(library): \(minted.token)")
            }
            guard round < 10 else { continue }
            for mutation in try Samples.mutations(of: minted.token) {
                #expect(ours.failures(of: mutation) != [], "ours: \(mutation)")
                for library in account.libraries {
                    #expect(try !accepts(mutation, account, minted.claims, library), "\(library): \(mutation)")
                }
            }
        }
    }

    @Test("our engine accepts tokens of the peers", arguments: ["HS256", "RS256", "ES256", "A256GCMKW"])
    func made(algorithm: String) throws {
        let account = try account(algorithm)
        let ours = try ours(account)
        for round in 0..<50 {
            let claims = claims(expiringIn: 240).encoded
            for library in account.libraries {
                let answer = try peer.ask(
                    ["op": "make-jwt", "claims": String(decoding: claims, as: UTF8.self)], algorithm, account.signing,
                    library)
                let token = try peer.made(answer)
                #expect(ours.failures(of: token) == [], "\(library): \(token)")
                guard round < 10 else { continue }
                for mutation in try Samples.mutations(of: token) {
                    #expect(ours.failures(of: mutation) != [], "\(library): \(mutation)")
                }
            }
        }
    }

    @Test(
        "all sides refuse the tokens of apps that fail attestation",
        arguments: ["HS256", "RS256", "ES256", "A256GCMKW"])
    func rejected(algorithm: String) throws {
        let account = try account(algorithm)
        let minted = try account.blueprint(claims(expiringIn: 240)).rejected().mint()
        let check = algorithm == "A256GCMKW" ? "approov.token.decryption" : "approov.token.signature"
        #expect(try ours(account).failures(of: minted.token) == [check])
        for library in account.libraries {
            #expect(try !accepts(minted.token, account, minted.claims, library), "\(library)")
        }
    }

    @Test("all sides agree on when a token has expired, and that one without a time is none")
    func expiry() throws {
        let account = try account("HS256")
        let ours = try ours(account)
        // Far enough from now that the clock of no side passes the end while all are asked.
        for seconds in [-1_000_000_000, -3600, -60, -2, 30, 3600, 1_000_000_000] as [Double] {
            let minted = try account.blueprint(claims(expiringIn: seconds)).mint()
            #expect(ours.failures(of: minted.token) == (seconds < 0 ? ["approov.token.expiry"] : []), "\(seconds)")
            for library in account.libraries {
                #expect(
                    try accepts(minted.token, account, minted.claims, library) == (seconds > 0),
                    "\(library): \(seconds)")
            }
        }
        var without = claims(expiringIn: 240)
        without[.expiry] = nil
        let minted = try account.blueprint(without).mint()
        #expect(ours.failures(of: minted.token) == ["approov.token.expiry"])
        for library in account.libraries {
            #expect(try !accepts(minted.token, account, minted.claims, library), "\(library)")
        }
    }

    /// Both cut off the fraction of `exp`, joserfc after it has refused numbers that are not whole; Approov's description
    /// allows it, and we compare all of it. PyJWT makes a number of a text, which we and joserfc do not.
    @Test("the others read times otherwise that are no whole numbers, and differ in it from each other")
    func divergences() throws {
        let account = try account("HS256")
        let ours = try ours(account)
        let later = Int64(Date().timeIntervalSince1970) + 240
        let cases: [(JSONItem, ours: [String], peers: [Peer.Library: Bool])] = [
            (.number("\(later).5"), [], [.pyjwt: true]),
            (.text("\(later)"), ["approov.token.claims"], [.pyjwt: true, .joserfc: false]),
            (.number("1e400"), ["approov.token.expiry"], [.pyjwt: false]),
            (.flag(true), ["approov.token.claims"], [.pyjwt: false]),
            (.text(""), ["approov.token.claims"], [.pyjwt: false, .joserfc: false]),
        ]
        for (value, failures, peers) in cases {
            var blueprint = account.blueprint(claims(expiringIn: 240))
            blueprint.claims[.expiry] = value
            let token = try blueprint.mint().token
            #expect(ours.failures(of: token) == failures, "\(value)")
            for (library, isAccepted) in peers {
                let answer = try peer.ask(
                    ["op": "verify-jwt", "token": token], account.algorithm, account.verification, library)
                #expect((answer["result"] != nil) == isAccepted, "\(library): \(value): \(answer)")
            }
        }
    }
}
