import AssayCore
import AssayPrimitives
import Foundation

extension FuzzTarget {
    /// Signature bases of RFC 9421 against http-message-signatures: if both build one, they are equal, byte for byte.
    ///
    /// Inputs have the form of `signature-base`, but only the components of the first line are used. If one side builds
    /// no base, ``SignatureBaseDifference`` must declare the reason.
    static let signatureBaseAndPeer = FuzzTarget(
        name: "signature-base-peer", maximumLength: 384, needsPeers: true, dictionary: SignatureBaseReading.dictionary,
        // The other seeds are not comparable: a target without a path, and a signature without components.
        seeds: { Array(SignatureBaseReading.seeds().prefix(2)) },
        run: { input in
            guard let (signature, message) = SignatureBaseReading.parts(of: input), !signature.components.isEmpty,
                SignatureBaseDifference.isShared(message)
            else { return false }
            let components = signature.components.map {
                String(decoding: (try? StructuredFieldWriter.write($0.item)) ?? [], as: UTF8.self)
            }
            let ours: Result<[UInt8], SignatureBaseError>
            do throws(SignatureBaseError) {
                ours = .success(try SignatureBase.build(for: signature, of: message))
            } catch {
                ours = .failure(error)
            }
            let readsOddQuery = SignatureBaseDifference.readsOddQuery(message, signature)
            switch (ours, HTTPMessagePeer.shared.base(of: message, components: components)) {
            case (.success(let first), .success(let second)):
                require(
                    lines(first, withoutParameters: readsOddQuery) == lines(second, withoutParameters: readsOddQuery),
                    "two bases: \(String(decoding: first, as: UTF8.self)), \(String(decoding: second, as: UTF8.self))")
                return true
            case (.success, .failure(let refusal)) where !readsOddQuery:
                require(
                    SignatureBaseDifference.onlyOurs.contains { refusal.reason.contains($0) },
                    "only here: \(refusal.reason)")
                return true
            case (.failure(let error), .success) where !readsOddQuery:
                require(SignatureBaseDifference.onlyTheirs(error, message), "only there: \(error)")
                return false
            case (.success, .failure), (.failure, .success), (.failure, .failure): return false
            }
        })

    /// The lines without the last one, for which the peer uses its own parameters. On request, also without the query
    /// parameters.
    private static func lines(_ base: [UInt8], withoutParameters: Bool) -> [ArraySlice<UInt8>] {
        base.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().filter {
            !withoutParameters || !$0.starts(with: "\"@query-param\"".utf8)
        }
    }
}

/// Differences where the standard leaves a choice, or one side does not implement all of it.
private enum SignatureBaseDifference {
    /// The peer's refusals, by their text: targets that RFC 3986 does not allow, of which Assay uses only the necessary
    /// parts; and registered field types that the peer does not know.
    static let onlyOurs = ["Invalid URL", "Unknown Structured Field type"]

    /// Assay's refusals: fields of unknown type; duplicate keys, of which the peer takes the last; and base64 that is
    /// not canonical, which RFC 9651 section 4.2.7 leaves open.
    static func onlyTheirs(_ error: SignatureBaseError, _ message: HTTPMessageParts) -> Bool {
        error.reason == .notStructured
    }

    /// Whether a component reads a parameter of a query that is not UTF-8. The URL standard, to which RFC 9421 section
    /// 2.2.8 refers, replaces such bytes: one signature would then be valid for many values. Assay signs the bytes.
    static func readsOddQuery(_ message: HTTPMessageParts, _ signature: SignatureInput) -> Bool {
        guard signature.components.contains(where: { $0.name == "@query-param" }),
            let mark = message.targetURI.firstIndex(of: "?")
        else { return false }
        return message.targetURI[mark...].removingPercentEncoding == nil
    }

    /// Whether both sides read a message in the same way: the method in capitals, as the peer demands; a target with a
    /// path, without user information, fragment and padded port, because Assay signs it unchanged and the peer parses
    /// it; and printable ASCII.
    static func isShared(_ message: HTTPMessageParts) -> Bool {
        let target = message.targetURI.utf8
        guard message.method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }), !message.method.isEmpty,
            let authority = target.split(separator: 0x2F, maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2)
                .first,
            target.count(where: { $0 == 0x2F }) >= 3, !target.contains(0x23), !target.contains(0x40),
            !authority.contains(0x3F), !authority.contains(0x25)
        else { return false }
        if let colon = authority.lastIndex(of: 0x3A), authority[colon...].dropFirst().first == 0x30 { return false }
        return message.fields.allSatisfy { field in
            !field.name.isEmpty && field.name.utf8.allSatisfy(HTTPFieldText.isTokenCharacter)
                && field.value.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
        }
    }
}
