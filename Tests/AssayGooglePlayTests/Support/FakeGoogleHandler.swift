import NIOCore
import NIOHTTP1

/// One connection to ``FakeGoogle``.
final class FakeGoogleHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let owner: FakeGoogle.Owner
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ owner: FakeGoogle.Owner) { self.owner = owner }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head, let google = owner.current else { return context.close(promise: nil) }
            let fields = Dictionary(
                head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
            let request = FakeGoogle.Request(path: head.uri, fields: fields, body: Array(body.readableBytesView))
            perform(google.receive(request), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func perform(_ step: FakeGoogle.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .serve, .echo, .close: context.close(promise: nil)
        case .answer(let status, let text, let fields): write(status, text, fields, length: nil, context)
        case .slowly(let time, let later):
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: TimeAmount(time)) {
                let (handler, context) = bound.value
                if context.channel.isActive { handler.perform(later, context) }
            }
        case .held(let gate, let later):
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let eventLoop = context.eventLoop
            gate.whenOpen {
                eventLoop.execute {
                    let (handler, context) = bound.value
                    if context.channel.isActive { handler.perform(later, context) }
                }
            }
        case .stall: write(200, #"{"tokenPayload"#, [:], length: 1000, context)
        case .cut:
            write(200, #"{"tokenPayload"#, [:], length: 1000, context)
            context.close(promise: nil)
        }
    }

    private func write(
        _ status: Int, _ text: String, _ fields: [String: String], length: Int?, _ context: ChannelHandlerContext
    ) {
        var headers = HTTPHeaders([
            ("Content-Type", text.hasPrefix("<") ? "text/html; charset=utf-8" : "application/json; charset=utf-8"),
            ("Content-Length", String(length ?? text.utf8.count)),
        ])
        for (name, value) in fields { headers.add(name: name, value: value) }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        if length == nil {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        } else {
            context.flush()
        }
    }
}
