import Assay
import AssayCore
import AssayPrimitives
import HTTPTypes
package import NIOCore
import Synchronization

extension ServiceRequest {
    /// Reads the whole body.
    ///
    /// - Parameters:
    ///   - limit: the most bytes.
    ///   - seconds: how long it may take.
    /// - Throws: ``Problem`` with 413 for a longer body, before it is read if `Content-Length` says so; with 408 for a slow one; with
    ///   400 for one that was cut.
    func wholeBody(upTo limit: Int, within seconds: Double) async throws(Problem) -> [UInt8] {
        let length = request.head.value(.contentLength).flatMap { Int($0) }
        guard length ?? 0 <= limit else { throw .tooLong(limit) }
        let deadline = request.body.isWhole ? nil : deadlines.add(channel, after: seconds)
        defer { if let deadline { deadlines.remove(deadline) } }
        var bytes: [UInt8] = []
        if let length { bytes.reserveCapacity(length) }
        do {
            while let part = try await request.body.next() {
                guard bytes.count + part.readableBytes <= limit else { throw Problem.tooLong(limit) }
                part.withUnsafeReadableBytes { bytes.append(contentsOf: $0) }
            }
        } catch let problem as Problem {
            throw problem
        } catch is SlowBody {
            throw .slow(seconds)
        } catch {
            throw .cut
        }
        // A broken connection looks like the end of the body.
        if let length, length != bytes.count { throw .cut }
        return bytes
    }
}

extension ServiceRequest {
    /// Reads a body that is one JSON object with members of these names and no others.
    func fields(_ names: [String], upTo limit: Int, within seconds: Double) async throws(Problem) -> RecordFields {
        guard request.mediaType == "application/json" else {
            throw Problem.mediaType(request.mediaType, "application/json")
        }
        let bytes = try await wholeBody(upTo: limit, within: seconds)
        do throws(RecordError) {
            let object: RecordObject
            do { object = try JSONReader.readObject(bytes, limit: limit) } catch { throw RecordError(error) }
            let fields = RecordFields(object, path: "")
            try fields.requireOnly(names)
            return fields
        } catch {
            throw Problem(request: error)
        }
    }
}

/// Aborts bodies that do not arrive in time. Polling all bodies costs less than one timer for each.
package final class BodyDeadlines: Sendable {
    private struct State {
        var entries: [Int: (end: ContinuousClock.Instant, channel: any Channel)] = [:]
        var last = 0
    }

    /// The polling interval, which is also the longest delay of an abort.
    private static let interval = Duration.milliseconds(250)
    private let state = Mutex(State())

    package init() {}

    /// Looks at all bodies until the task is cancelled.
    func run() async {
        while (try? await Task.sleep(for: Self.interval)) != nil {
            abort(at: .now)
        }
    }

    /// Aborts the bodies whose time has ended.
    package func abort(at now: ContinuousClock.Instant) {
        let slow = state.withLock { state in state.entries.filter { $0.value.end < now } }
        for (number, entry) in slow {
            entry.channel.eventLoop.execute { [self] in
                // Once the body has arrived, the error would be that of the connection's next request.
                guard state.withLock({ $0.entries[number] != nil }) else { return }
                // The body's reader gets the error.
                entry.channel.pipeline.fireErrorCaught(SlowBody())
            }
        }
    }

    /// Starts the time of a body. Returns its number, for ``remove(_:)``.
    package func add(_ channel: any Channel, after seconds: Double) -> Int {
        let end = ContinuousClock.now + .seconds(seconds)
        return state.withLock { state in
            state.last += 1
            state.entries[state.last] = (end, channel)
            return state.last
        }
    }

    /// Ends the time of a body that needs no more.
    package func remove(_ number: Int) { _ = state.withLock { $0.entries.removeValue(forKey: number) } }
}

/// A body did not arrive in time.
package struct SlowBody: Error {}

extension Request {
    /// The media type of the body in lower case, without parameters; nil if the field is missing.
    var mediaType: String? {
        head.value(.contentType).map { value in
            // What most clients send.
            if value.isByteEqual(to: "application/json") { return value }
            let type = value.prefix { $0 != ";" }
            return type.lowercased().filter { $0 != " " && $0 != "\t" }
        }
    }
}
