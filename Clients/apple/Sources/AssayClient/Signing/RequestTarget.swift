import Foundation

/// The URL of a request, as the kit signs it and URLSession sends it.
enum RequestTarget {
    /// Writes the URL as it goes over the wire: scheme and host in lower case, no default port, `/` for an empty path, no
    /// fragment.
    ///
    /// - Throws: ``AssayClientError/Code/request`` for a URL that URLSession would change on the way.
    static func normalised(_ url: URL?) throws(AssayClientError) -> URL {
        guard let url else { throw AssayClientError(.request, "the request has no URL: set `url`") }
        guard let parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
            let host = parts.encodedHost?.lowercased(), !host.isEmpty
        else { throw AssayClientError(.request, "the URL has no scheme http or https, or no host: write it whole") }
        guard parts.user == nil, parts.password == nil else {
            throw AssayClientError(
                .request, "the URL has a user or a password, which URLSession takes out: send them in a field")
        }
        let path = parts.percentEncodedPath
        guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw AssayClientError(.request, "the path has a segment `.` or `..`: use `url.standardized`")
        }
        var text = "\(scheme)://\(host)"
        if let port = parts.port, port != (scheme == "https" ? 443 : 80) { text += ":\(port)" }
        text += path.isEmpty ? "/" : path
        if let query = parts.percentEncodedQuery { text += "?" + query }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), let result = URL(string: text),
            result.absoluteString == text
        else { throw AssayClientError(.request, "the URL has characters that are not percent-encoded: encode them") }
        return result
    }

    /// Whether evidence and tokens may go there: https, or http of this machine.
    static func isProtected(_ url: URL) -> Bool {
        url.scheme == "https" || ["localhost", "127.0.0.1", "::1", "[::1]"].contains(url.host ?? "")
    }
}
