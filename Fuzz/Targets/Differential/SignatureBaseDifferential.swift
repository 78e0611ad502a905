import AssayCore
import AssayHTTPSignatures
import AssayPrimitives
import Foundation

extension FuzzTarget {
    /// Signature bases of RFC 9421 against http-message-signatures: where both build one, it is the same, byte for byte.
    ///
    /// Inputs are those of `signature-base`; of the first line only the components count. Where one side builds none, it is
    /// for what ``SignatureBaseDifference`` names.
    static let signatureBaseAndPeer = FuzzTarget(
        name: "signature-base-peer", maximumLength: 384, needsPeers: true, dictionary: SignatureBaseReading.dictionary,
        // The others are not compared: a target without a path, and a signature of nothing.
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
                demand(
                    lines(first, withoutParameters: readsOddQuery) == lines(second, withoutParameters: readsOddQuery),
                    "two bases: \(String(decoding: first, as: UTF8.self)), \(String(decoding: second, as: UTF8.self))")
                return true
            case (.success, .failure(let refusal)) where !readsOddQuery:
                demand(
                    SignatureBaseDifference.onlyOurs.contains { refusal.reason.contains($0) },
                    "only here: \(refusal.reason)")
                return true
            case (.failure(let error), .success) where !readsOddQuery:
                demand(SignatureBaseDifference.onlyTheirs(error, message), "only there: \(error)")
                return false
            case (.success, .failure), (.failure, .success), (.failure, .failure): return false
            }
        })

    /// Without the last line, in which the peer has parameters of its own, and when asked without those of the query.
    private static func lines(_ base: [UInt8], withoutParameters: Bool) -> [ArraySlice<UInt8>] {
        base.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().filter {
            !withoutParameters || !$0.starts(with: "\"@query-param\"".utf8)
        }
    }
}

/// Where the standard leaves a choice, or one side does not have all of it.
private enum SignatureBaseDifference {
    /// What the peer refuses, by its words: targets that RFC 3986 does not have, where ours takes the parts that it needs;
    /// and registered types of fields that it does not know.
    static let onlyOurs = ["Invalid URL", "Unknown Structured Field type"]

    /// What ours refuses: fields that it does not know the type of, keys that come twice, of which the peer takes the last,
    /// and base64 that is not canonical, which RFC 9651 section 4.2.7 leaves open.
    static func onlyTheirs(_ error: SignatureBaseError, _ message: HTTPMessageParts) -> Bool {
        error.reason == .notStructured
    }

    /// Whether parameters are read of a query that is not UTF-8. The URL standard, which RFC 9421 section 2.2.8 refers to,
    /// replaces such bytes, so that one signature would hold for many values; ours signs the bytes.
    static func readsOddQuery(_ message: HTTPMessageParts, _ signature: SignatureInput) -> Bool {
        guard signature.components.contains(where: { $0.name == "@query-param" }),
            let mark = message.targetURI.firstIndex(of: "?")
        else { return false }
        return message.targetURI[mark...].removingPercentEncoding == nil
    }

    /// Whether a message has one reading: the method in capitals, as the peer demands; a target with a path and without
    /// user information, fragment and padded port, which ours signs as it stands and the peer takes apart; and printable
    /// ASCII.
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
