import Approov
import ArgumentParser
import Assay
import AssayCore
import AssayHTTPSignatures
import AssayPrimitives
import Foundation

/// One raw token, HTTP request or measurement proof of Approov with what the options say of it.
struct ApproovRawEvidence: RawEvidence {
    private enum Input {
        case token(ApproovTokenInput.Evidence)
        case message(CapturedRequest, targetURI: String)
        case proof(ApproovProofInput)
    }

    private let options: ApproovRawOptions
    private let input: Input

    init(_ options: ApproovRawOptions, kind: ApproovRawKind, nonce: String?, file: [UInt8], name: String) throws {
        self.options = options
        switch kind {
        case .token:
            let text = Self.text(file, name)
            let isLoggable = text.utf8.first == UInt8(ascii: "{")
            Console.note(
                isLoggable
                    ? "\(name): read as a loggable token; accepted means that Approov issued the token, and lets no request in"
                    : "\(name): read as a token")
            input = .token(isLoggable ? .loggable(text) : .token(text))
        case .message:
            let request = try Self.request(file, name)
            guard let targetURI = options.targetURI ?? request.targetURI else {
                let likely = request.likelyTargetURI.map {
                    "; with https that is --target-uri '\($0.excerpt(atMost: 1024))'"
                }
                throw CommandFailure(
                    .usage,
                    "--target-uri is required: the request line of \(name) has only \(request.target.excerpt), and not "
                        + "which scheme and host the client asked for\(likely ?? "")")
            }
            input = .message(request, targetURI: targetURI)
        case .proof:
            let nonce = try Self.nonce(nonce ?? "")
            let proof = try options.proof?.resolve() ?? []
            input = .proof(try Self.proof(nonce, proof, options.measurement, file, name))
        }
    }

    /// The text of a file without white space and a byte order mark around it, of which the latter is named.
    private static func text(_ file: [UInt8], _ name: String) -> String {
        let spaces: Set<UInt8> = [0x20, 0x09, 0x0D, 0x0A]
        var body = file[...]
        if body.starts(with: [0xEF, 0xBB, 0xBF]) {
            Console.note("\(name): begins with a byte order mark, which is passed over")
            body = body.dropFirst(3)
        }
        body = body.drop(while: spaces.contains)
        return String(decoding: body.prefix(body.reversed().drop(while: spaces.contains).count), as: UTF8.self)
    }

    /// The nonce of a proof. That of an integrity token has the same option and is text, so that it is read only here.
    private static func nonce(_ text: String) throws -> [UInt8] {
        do {
            return try ValueArgument(text, plain: .base64).resolve()
        } catch let error as ValidationError {
            throw CommandFailure(.usage, "--nonce: \(error.message)")
        }
    }

    private static func request(_ file: [UInt8], _ name: String) throws(CommandFailure) -> CapturedRequest {
        do {
            return try CapturedRequest(file)
        } catch {
            throw CommandFailure(.unreadable, "\(name): line \(LineIndex(file).line(of: error.offset)), \(error)")
        }
    }

    /// The proof with the token or the measurements that a file holds.
    private static func proof(
        _ nonce: [UInt8], _ proof: [UInt8], _ measurement: ApproovMeasurement?, _ file: [UInt8], _ name: String
    ) throws -> ApproovProofInput {
        let text = text(file, name)
        guard text.utf8.first == UInt8(ascii: "{") else {
            Console.note("\(name): read as the token that carries the measurements")
            return ApproovProofInput(nonce: nonce, proof: proof, source: .token(text), measurement: measurement)
        }
        Console.note("\(name): read as the measurements")
        do {
            let measurements = try JSONReader.readObject(Array(text.utf8), limit: InputLimits.keyPart)
            let record = try ApproovProofInput(
                RecordObject([
                    ("nonce", .text(Base64.encode(nonce, .standard))),
                    ("proof", .text(Base64.encode(proof, .standard))), ("measurements", .object(measurements)),
                ]))
            return ApproovProofInput(nonce: nonce, proof: proof, source: record.source, measurement: measurement)
        } catch let error as DecodeError {
            throw CommandFailure(.unreadable, "\(name): \(error.reason) at byte \(error.offset)")
        } catch let error as RecordError {
            throw CommandFailure(.unreadable, "\(name): \(error)")
        }
    }

    func verify(with verifier: Verifier, app: String?, at now: Date) async throws -> Verdict {
        switch input {
        case .token(let evidence):
            let input = ApproovTokenInput(
                evidence, binding: try binding(for: app, verifier.policy), address: options.address)
            return try await verifier.verifyApproovToken(input, app: app, at: now)
        case .message(let request, let targetURI):
            let input = ApproovMessageInput(
                method: request.method, targetURI: targetURI, fields: request.fields, body: .bytes(request.body),
                address: options.address)
            return try await verifier.verifyApproovMessage(input, app: app, at: now)
        case .proof(let input):
            return try await verifier.verifyApproovProof(input, app: app, at: now)
        }
    }

    /// The bound values in the order of the policy, which is that of the options when there is no policy file.
    private func binding(for app: String?, _ policy: Policy) throws(CommandFailure) -> [ApproovBoundValue] {
        let apps = policy.apps.filter { $0.name.isByteEqual(to: app ?? $0.name) }
            .compactMap { $0.configuration(ApproovConfiguration.self) }
        // The engine says what is wrong when there is none, or more than one.
        guard let configuration = apps.first, apps.count == 1 else { return [] }
        var fields: [(name: String, value: String)] = []
        for header in options.bindingHeaders {
            guard configuration.binding.contains(where: { HTTPFieldText.isName($0, equalTo: header.name) })
            else {
                let names = configuration.binding.map(\.excerpt).joined(separator: ", ")
                throw CommandFailure(
                    .usage,
                    "--binding-header \(header.name.excerpt): the policy binds tokens to \(names.isEmpty ? "nothing" : names)"
                )
            }
            fields.append((header.name, try header.resolve()))
        }
        return configuration.binding.map { ApproovBoundValue($0, in: fields) }
    }
}
