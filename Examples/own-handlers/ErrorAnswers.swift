import Assay
import Hummingbird

/// Answers the errors of handlers that judge evidence. Add it before the routes.
struct ErrorAnswers<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as VerificationError {
            context.logger.error("no verdict", metadata: ["problem": "\(error)"])
            return EvidenceAnswer(error).response
        }
    }
}

extension EvidenceAnswer {
    /// The status, and a small body with the remedy.
    var response: Response {
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
        let body = remedy.map { #"{"remedy":"\#($0.rawValue)"}"# } ?? "{}"
        return Response(
            status: .init(code: status), headers: headers, body: .init(byteBuffer: ByteBuffer(string: body)))
    }
}
