package dev.assay.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** `assay serve`, and an app's backend before it: it relays the kit's calls, and has the service judge the app's requests. */
final class AssayService implements AutoCloseable {
    private final String program;
    private final Path folder = Files.createTempDirectory("assay-android");
    private static final int ATTEMPTS = 3;
    private volatile int port = freePort();
    int nginxPort = freePort();
    private final HttpServer backend;
    private Process process;
    private Process nginx;
    private int ledgers;
    /** The account of the session. */
    volatile String account;
    /** What happens to a call, by its path: `before` and `after` cut the connection, `twice` relays twice, others are an answer. */
    volatile Fault fault = path -> null;
    /** The paths of all calls. */
    final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    /** The verdicts on the app's requests. */
    final List<String> verdicts = Collections.synchronizedList(new ArrayList<>());
    volatile Map<String, String> lastFields = Map.of();
    /** The app whose tokens requests carry. */
    volatile String tokenApp = "shop-tokens";

    interface Fault {
        String at(String path);
    }

    AssayService(String program, String rootPem) throws Exception {
        this.program = program;
        Files.writeString(folder.resolve("root.pem"), rootPem);
        Files.writeString(folder.resolve("master.key"), Base64.getEncoder().encodeToString(Bytes.random(32)));
        Check.that(folder.resolve("master.key").toFile().setReadable(false, false) & folder.resolve("master.key").toFile().setReadable(true,
            true),
            "the mode of the master key");
        String section = "    androidKey:\n      packages: [com.example.shop]\n      certificateDigests: [\"" + Attester.DIGEST + "\"]\n"
            + "      statusList: none\n      testRoots: [\"file:root.pem\"]\n";
        String tokens = "    tokens:\n      issuer: https://attest.example.com\n      audiences: [https://api.example.com, https://pay.example.com]\n"
            + "      testAuthorities: allow\n";
        Files.writeString(folder.resolve("policy.yaml"), "version: 1\napps:\n  - name: shop-android\n" + section + "      requests: {}\n"
            + "  - name: shop-tokens\n" + section + "      requests: {}\n" + tokens
            + "    secrets: { names: [maps, sealing, absent], testAuthorities: allow }\n"
            + "  - name: shop-strict\n" + section + "      requests: { nonce: ledger }\n" + tokens);
        backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        backend.setExecutor(Executors.newCachedThreadPool());
        backend.createContext("/", this::handle);
        backend.start();
        try {
            start();
        } catch (Exception | AssertionError error) {
            // Its threads would keep the process alive.
            close();
            throw error;
        }
    }

    /** Another process may take it before it is used. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    String url(String path) {
        return "http://127.0.0.1:" + backend.getAddress().getPort() + path;
    }

    /** Ends the service, and starts it with an empty ledger. */
    void restart() throws Exception {
        process.destroy();
        process.waitFor();
        start();
    }

    private void start() throws Exception {
        for (int attempt = 1; !starts(); attempt++) {
            // nginx knows the port.
            if (attempt == ATTEMPTS || nginx != null) throw ended("service.log");
            port = freePort();
        }
        // The service makes the keys of tokens after it has begun to listen.
        for (Deadline deadline = new Deadline("the keys of tokens"); !keySet().contains("\"kid\""); deadline.pause()) {
            if (!process.isAlive()) throw ended("service.log");
        }
    }

    private boolean starts() throws Exception {
        process = new ProcessBuilder(program, "serve", "--create-ledger", "--policy", "policy.yaml", "--ledger", "sqlite:ledger" + ledgers++
            + ".sqlite",
            "--set", "listen=127.0.0.1:" + port, "--set", "admin=none", "--set", "masterKey=file:master.key", "--open",
            "--set", "authorize.dialect=nginx", "--set", "authorize.peers=127.0.0.1", "--set", "authorize.origins=http://127.0.0.1:"
                + nginxPort)
            .directory(folder.toFile()).redirectErrorStream(true).redirectOutput(folder.resolve("service.log").toFile()).start();
        return answers("http://127.0.0.1:" + port + "/openapi.json", process);
    }

    private AssertionError ended(String log) throws IOException {
        return new AssertionError("It does not start: " + Files.readString(folder.resolve(log)));
    }

    /** Adds a secret of the app with tokens: of this value, or one that each device derives. */
    void addSecret(String name, String value) throws Exception {
        List<String> command = new ArrayList<>(List.of(program, "secrets", "add", name, "--for", "shop-tokens", "--ledger",
            "sqlite:ledger" + (ledgers - 1) + ".sqlite", "--master-key", "file:master.key"));
        if (value == null) command.add("--derive");
        else command.addAll(List.of("--value", "file:value"));
        Files.writeString(folder.resolve("value"), String.valueOf(value));
        Check.that(folder.resolve("value").toFile().setReadable(false, false) & folder.resolve("value").toFile().setReadable(true, true),
            "the mode of the value");
        Process added = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        String text = new String(added.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        Check.equal(0, added.waitFor(), "assay secrets add: " + text);
    }

    private String keySet() throws IOException {
        HttpURLConnection connection = connection("http://127.0.0.1:" + port + "/.well-known/jwks.json");
        if (connection.getResponseCode() != 200) return "";
        return new String(connection.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }

    private static HttpURLConnection connection(String url) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
        connection.setConnectTimeout(10_000);
        connection.setReadTimeout(30_000);
        return connection;
    }

    /** Waits for something that takes a moment, and fails when it takes minutes. */
    static final class Deadline {
        private final String what;
        private final long end = System.nanoTime() + 300_000_000_000L;

        Deadline(String what) { this.what = what; }

        void pause() throws InterruptedException {
            if (System.nanoTime() - end > 0) throw new AssertionError(what + ": not within 300 seconds");
            Thread.sleep(20);
        }
    }

    /** nginx with the configuration of Examples/gateways, before the service and this backend. */
    void startNginx(Path example) throws Exception {
        for (int attempt = 1; !startsNginx(example); attempt++) {
            if (attempt == ATTEMPTS) throw ended("nginx.log");
            nginx = null;
            nginxPort = freePort();
            // The service knows the port.
            restart();
        }
    }

    private boolean startsNginx(Path example) throws Exception {
        String text = Files.readString(example).replaceAll("\\b8080\\b", "" + port).replaceAll("\\b3000\\b", ""
            + backend.getAddress().getPort())
            .replaceAll("\\b8000\\b", "127.0.0.1:" + nginxPort).replace("/v1/authorize/shop", "/v1/authorize/shop-android")
            .replace("http {\n", "http {\n    access_log off; client_body_temp_path body; proxy_temp_path proxy; "
                + "fastcgi_temp_path fastcgi; "
                + "uwsgi_temp_path uwsgi; scgi_temp_path scgi;\n");
        Files.writeString(folder.resolve("nginx.conf"), text);
        Check.that(folder.toFile().setExecutable(true, false) & folder.toFile().setReadable(true, false),
            "nginx as another user reads the folder");
        nginx = new ProcessBuilder(System.getenv().getOrDefault("NGINX", "nginx"), "-e", "stderr", "-p", ".", "-c", "nginx.conf", "-g",
            "daemon off;")
            .directory(folder.toFile()).redirectErrorStream(true).redirectOutput(folder.resolve("nginx.log").toFile()).start();
        return answers("http://127.0.0.1:" + nginxPort + "/", nginx);
    }

    /** Waits for an answer. False if the process ends before it, as when its port is taken. */
    private static boolean answers(String url, Process of) throws Exception {
        for (Deadline deadline = new Deadline(url); of.isAlive(); deadline.pause()) {
            try {
                connection(url).getResponseCode();
                // It may be the answer of another process, which has the port.
                if (of.isAlive()) return true;
            } catch (IOException notYet) {
                continue;
            }
        }
        return false;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            calls.add(path);
            String what = fault.at(path);
            if ("before".equals(what)) return;
            if (what != null && what.matches("[0-9]{3}( 0)?")) {
                exchange.getResponseHeaders().set("Retry-After", what.endsWith(" 0") ? "0" : "7");
                exchange.sendResponseHeaders(Integer.parseInt(what.substring(0, 3)), -1);
                return;
            }
            if (what != null && what.startsWith("html")) {
                answer(exchange, 200, what.equals("html-huge") ? "x".repeat(2_000_000) : "<html>Sign in</html>", "text/html");
                return;
            }
            HttpTransport.Answer answer = relay(path, body, exchange);
            if ("twice".equals(what)) answer = relay(path, body, exchange);
            if ("after".equals(what)) return;
            if (answer.fields.containsKey("retry-after")) exchange.getResponseHeaders().set("Retry-After",
                answer.fields.get("retry-after"));
            String text = new String(answer.body, java.nio.charset.StandardCharsets.UTF_8);
            answer(exchange, answer.status, "cut".equals(what) ? text.substring(0, text.length() / 2) : text, "application/json");
        } catch (Json.Malformed error) {
            throw new IOException(error);
        }
    }

    private static void answer(HttpExchange exchange, int status, String text, String type) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        byte[] content = Bytes.utf8(text);
        exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
        if (content.length > 0) exchange.getResponseBody().write(content);
    }

    /** Twenty lines of a relay: what a backend needs. */
    private HttpTransport.Answer relay(String path, byte[] body, HttpExchange exchange) throws IOException, Json.Malformed {
        if (path.equals("/challenges")) return post("/v1/challenges", Json.object(body));
        if (path.equals("/secrets")) return post("/v1/secrets", Json.object(body));
        if (path.equals("/tokens")) return post("/v1/tokens", Json.object(body));
        if (path.equals("/enrolments")) {
            HttpTransport.Answer verdict = post("/v1/verify", Json.object(body));
            if (verdict.status != 200) return verdict;
            Map<String, Object> object = Json.object(verdict.body);
            return json(200, Json.of("outcome", object.get("outcome"), "remedy", object.get("remedy")));
        }
        if (exchange.getRequestHeaders().containsKey("Assay-Outcome")) return json(200, Json.of("order", "by nginx"));
        return judge(body, exchange);
    }

    private HttpTransport.Answer judge(byte[] body, HttpExchange exchange) throws IOException, Json.Malformed {
        List<Object> headers = new ArrayList<>();
        Map<String, String> fields = new java.util.HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> {
            for (String value : values) headers.add(new ArrayList<Object>(List.of(name, value)));
            fields.put(name.toLowerCase(java.util.Locale.ROOT), values.get(0));
        });
        lastFields = fields;
        boolean isToken = fields.containsKey("dpop");
        Map<String, Object> evidence = Json.of("method", exchange.getRequestMethod(), "targetURI", url(exchange.getRequestURI().toString()),
            "headers", headers, "body", body.length == 0 || isToken ? null : Bytes.base64(body));
        HttpTransport.Answer verdict = post("/v1/verify", Json.of("kind", isToken ? "assay.token" : "android-key.request",
            "app", isToken ? tokenApp : "shop-android", "evidence", evidence));
        if (verdict.status != 200) return verdict;
        Map<String, Object> object = Json.object(verdict.body);
        verdicts.add(object.get("outcome") + (object.get("remedy") == null ? "" : " " + object.get("remedy")));
        if ("accept".equals(object.get("outcome"))) return json(201, Json.of("order", 1L));
        String remedy = (String) object.get("remedy");
        if (isToken) exchange.getResponseHeaders().set("WWW-Authenticate", challenge(object));
        return json(remedy.matches("retry|new-.*") ? 401 : 403, Json.of("remedy", remedy));
    }

    /** As the service's gateways have it: what failed first. */
    private static String challenge(Map<String, Object> verdict) {
        for (Object each : (List<?>) verdict.get("checks")) {
            Map<String, Object> check = Json.object(each);
            boolean isProof = ((String) check.get("check")).matches("assay.token.(proof|binding|freshness|replay)");
            if ("failed".equals(check.get("status"))) return "DPoP error=\"" + (isProof ? "invalid_dpop_proof" : "invalid_token") + "\"";
        }
        throw new AssertionError("a rejection without a check that failed: " + verdict);
    }

    private static HttpTransport.Answer json(int status, Map<String, Object> object) {
        return new HttpTransport.Answer(status, Map.of(), Bytes.utf8(Json.write(object)));
    }

    private HttpTransport.Answer post(String path, Map<String, Object> body) throws IOException {
        if (body.containsKey("kind") && body.containsKey("evidence") && account != null) body.put("account", account);
        return new UrlConnectionTransport().post("http://127.0.0.1:" + port + path, Bytes.utf8(Json.write(body)), Map.of());
    }

    @Override public void close() throws IOException {
        backend.stop(0);
        ((ExecutorService) backend.getExecutor()).shutdown();
        if (process != null) {
            process.destroy();
            process.onExit().join();
        }
        if (nginx != null) {
            nginx.destroy();
            nginx.onExit().join();
        }
        try (java.util.stream.Stream<Path> files = Files.walk(folder)) {
            files.sorted(java.util.Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        }
    }
}
