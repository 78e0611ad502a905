import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// Reads the whole body.
    ///
    /// - Parameters:
    ///   - limit: the most bytes.
    ///   - seconds: how long it may take.
    /// - Throws: ``Problem`` with 413 for a longer body, before it is read if `Content-Length` says so; with 408 for a slow one; with
    ///   400 for one that was cut.
    func wholeBody(upTo limit: Int, within seconds: Double) async throws(Problem) -> [UInt8] {
        let length = headers[.contentLength].flatMap { Int($0) }
        guard length ?? 0 <= limit else { throw .tooLong(limit) }
        let body = body
        let bytes = try await Deadline.run(within: seconds) { () async throws -> [UInt8] in
            var bytes: [UInt8] = []
            if let length { bytes.reserveCapacity(length) }
            for try await part in body {
                guard bytes.count + part.readableBytes <= limit else { throw Problem.tooLong(limit) }
                part.withUnsafeReadableBytes { bytes.append(contentsOf: $0) }
            }
            return bytes
        }
        // A broken connection looks like the end of the body.
        if let length, length != bytes.count { throw .cut }
        return bytes
    }

    /// The media type of the body in lower case, without parameters; nil if the field is missing.
    var mediaType: String? {
        headers[.contentType].map { value in
            let type = value.prefix { $0 != ";" }
            return type.lowercased().filter { $0 != " " && $0 != "\t" }
        }
    }
}

extension Problem {
    static func tooLong(_ limit: Int) -> Problem {
        Problem(.contentTooLarge, "body-too-long", "a body has at most \(limit) bytes; see limits.body")
    }

    static var cut: Problem {
        Problem(.badRequest, "body-length-differs", "the body is shorter or longer than Content-Length says")
    }

    static func slow(_ seconds: Double) -> Problem {
        Problem(.requestTimeout, "body-too-slow", "the body did not arrive within \(seconds) s; see limits.bodyTime")
    }
}

/// Limits how long something may take.
enum Deadline {
    /// Runs `body`, and cancels it after a time.
    ///
    /// - Throws: ``Problem``: that of `body`, or 408 when it takes longer, or 400 when the connection breaks.
    static func run<Result: Sendable>(
        within seconds: Double, _ body: @escaping @Sendable () async throws -> Result
    ) async throws(Problem) -> Result {
        do {
            return try await withThrowingTaskGroup(of: Result?.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    try await Task.sleep(for: .seconds(seconds))
                    return nil
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let result = first else { throw Problem.slow(seconds) }
                return result
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .cut
        }
    }
}
