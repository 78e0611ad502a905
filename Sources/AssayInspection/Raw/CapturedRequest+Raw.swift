import AssayCore

extension RawOption {
    /// The target URI of a saved request.
    package static let targetURI = RawOption.evidence(
        "targetURI", .text, isVerbatim: false, valueName: "uri",
        "What the client asked for, https://HOST/PATH, when the request line of a message has only the path.")

    /// Why the target URI of a command line cannot be used; nil if it can, or there is none.
    package static func objection(toTargetURIOf arguments: RawArguments) -> String? {
        guard let uri = arguments.text(targetURI.name), !isAbsolute(uri) else { return nil }
        return "--\(targetURI.name): expected the whole of what the client asked for, https://HOST/PATH?QUERY, found "
            + "\"\(uri.excerpt)\""
    }

    /// True if a URI has a scheme and an authority. The checks verify the rest.
    private static func isAbsolute(_ uri: String) -> Bool {
        guard let mark = uri.firstRange(of: "://"), mark.lowerBound > uri.startIndex else { return false }
        return !uri[..<mark.lowerBound].contains("/") && !uri[mark.upperBound...].prefix { $0 != "/" }.isEmpty
    }
}

extension RawFields {
    /// Reads a saved request.
    package init(request file: [UInt8], _ arguments: RawArguments) throws(RawError) {
        let request: CapturedRequest
        do { request = try CapturedRequest(file) } catch { throw .malformed(error) }
        guard let targetURI = arguments.text(RawOption.targetURI.name) ?? request.targetURI else {
            let likely = request.likelyTargetURI.map {
                "; with https that is --target-uri '\($0.excerpt(atMost: 1024))'"
            }
            throw .usage(
                "--target-uri is required: the request line has only \(request.target.excerpt), and not which scheme and "
                    + "host the client asked for\(likely ?? "")")
        }
        let signed = SignedRequest(
            method: request.method, targetURI: targetURI, fields: request.fields, body: .bytes(request.body))
        do { self.init(try signed.recordMembers()) } catch { throw .malformed(error) }
    }
}
