import Assay
import AssayCore
import AssayPrimitives
import Foundation
import Testing

/// A configuration as an app reads it: its signature is verified with the keys of the one before.
struct ReadConfiguration {
    let text: String
    let keyID: String
    let object: RecordObject

    /// - Parameter former: what the app has; nil for what it was built with.
    init(_ text: String, knowing former: ReadConfiguration? = nil) throws {
        self.text = text
        let jws = try CompactJWS(Array(text.utf8), limit: AppConfigurationClaims.maximumLength)
        #expect(jws.header.type == "assay-configuration+jwt")
        keyID = try #require(jws.header.keyID)
        object = try JSONReader.readObject(jws.payload, limit: AppConfigurationClaims.maximumLength)
        try JWKSet(Array((former?.keySet ?? keySet).utf8)).key(for: jws.header).verify(jws)
    }

    /// The claims that are texts.
    var claims: [String: String] {
        Dictionary(
            uniqueKeysWithValues: object.members.compactMap { member in
                if case .text(let text) = member.value.content { (member.name, text) } else { nil }
            })
    }

    func number(_ name: String) -> Int64? {
        if case .number(let text)? = object[name]?.content { Int64(text) } else { nil }
    }

    var version: Int64 { number("version") ?? -1 }
    var force: Int64 { number("force") ?? -1 }

    /// The pins of each host, without their windows.
    var hosts: [String: [String]] {
        guard case .object(let pins)? = object["pins"]?.content else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: pins.members.map { host in
                guard case .array(let elements) = host.value.content else { return (host.name, ["no list"]) }
                return (
                    host.name,
                    elements.map { element in
                        guard case .object(let pin) = element.content, case .text(let text)? = pin["pin"]?.content
                        else {
                            return "no pin"
                        }
                        return text
                    }
                )
            })
    }

    var pinsText: String { Self.text(object["pins"]) }

    var keyIDs: [String] {
        guard case .array(let keys)? = object["keys"]?.content else { return [] }
        return keys.compactMap { key in
            guard case .object(let key) = key.content, case .text(let id)? = key["kid"]?.content else { return nil }
            return id
        }
    }

    private var keySet: String { #"{"keys":\#(Self.text(object["keys"]))}"# }

    private static func text(_ value: RecordValue?) -> String {
        var bytes: [UInt8] = []
        RecordJSON.append(value?.content ?? .null, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
