package dev.assay.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Requests with a standard token of Play Integrity as evidence. */
final class Integrity {
    private final ClientSettings settings;
    private final Scheduler scheduler;
    private final Backend backend;
    private final Enrolment enrolment;
    private final IntegrityModel model = new IntegrityModel();
    private final Map<String, Signing> works = new HashMap<>();
    private final Map<String, Object> providers = new HashMap<>();
    private Runnable timer = () -> {};

    Integrity(ClientSettings settings, Scheduler scheduler, Backend backend, Enrolment enrolment) {
        this.settings = settings;
        this.scheduler = scheduler;
        this.backend = backend;
        this.enrolment = enrolment;
        settings.integrity.onRepaired(() -> post(Fields.of("wake", "repaired", true)));
    }

    SignedRequest.Source sign(String op, RequestSignature request) {
        Signing work = new Signing(op, request);
        work.start(settings.freshChallenges);
        return work;
    }

    void post(Fields event) { scheduler.post(() -> handle(event)); }

    void close() {
        scheduler.post(() -> { for (String op : new ArrayList<>(works.keySet())) handle(Fields.of("cancel", "op", op)); });
    }

    private void handle(Fields event) {
        Signing ended = event.name.equals("cancel") ? works.remove(event.text("op")) : null;
        if (ended != null) ended.next.completeExceptionally(AssayClientException.closed());
        for (Fields action : model.step(event, scheduler.now(), scheduler.jitter())) {
            Signing work = works.get(action.text("op"));
            switch (action.name) {
                case "prepare": scheduler.call(() -> prepare(action.number("turn", 0))); break;
                case "request":
                    Object provider = providers.get(action.text("provider"));
                    if (work != null) scheduler.call(() -> work.request(provider));
                    break;
                case "send": if (works.remove(action.text("op")) != null) work.next.complete(work.signed); break;
                case "sendWithoutEvidence": if (works.remove(action.text("op")) != null) work.without(action); break;
                default:
                    timer.run();
                    timer = scheduler.later(action.number("until", 0) - scheduler.now(), () -> handle(Fields.of("wake")));
            }
        }
    }

    private void prepare(long turn) {
        try {
            Object provider = settings.integrity.prepare();
            scheduler.post(() -> {
                providers.clear();
                providers.put("p" + turn, provider);
                handle(Fields.of("prepared", "turn", turn, "provider", "p" + turn));
            });
        } catch (PlatformException | RuntimeException error) {
            PlatformException failure = PlatformException.of(error);
            post(Fields.of("prepareFailed", "turn", turn, "class", failure.kind().text, "code", failure.code()));
        }
    }

    /** One request of the app. */
    private final class Signing extends SignedRequest.Source {
        private final RequestSignature request;
        private volatile String nonce;
        private volatile SignedRequest signed;
        private boolean retried;

        Signing(String op, RequestSignature request) {
            super(op, settings);
            this.request = request;
        }

        void start(boolean fresh) {
            scheduler.post(() -> {
                works.put(op, this);
                if (!fresh) handle(Fields.of("need", "op", op));
            });
            if (!fresh) return;
            scheduler.call(() -> {
                Backend.Reply reply = backend.post(settings.challengesUrl, Json.of("app", settings.app, "kind", "play-integrity.request"));
                nonce = backend.challenge(reply);
                if (nonce == null) next.completeExceptionally(AssayClientException.of(reply.event("fail")));
                scheduler.post(() -> { if (works.containsKey(op)) handle(Fields.of(nonce == null ? "cancel" : "need", "op", op)); });
            });
        }

        void request(Object provider) {
            long created = Math.floorDiv(scheduler.now() + enrolment.offset, 1000L);
            String parameters = request.integrityParameters(created, nonce);
            try {
                String token = settings.integrity.request(provider, Bytes.base64url(Bytes.sha256(request.base(parameters))));
                signed = new SignedRequest(request.fields(parameters, Bytes.utf8(token)), true, this);
                post(Fields.of("token", "op", op));
            } catch (PlatformException | RuntimeException error) {
                PlatformException failure = PlatformException.of(error);
                post(Fields.of("requestFailed", "op", op, "class", failure.kind().text, "code", failure.code()));
            }
        }

        void without(Fields action) {
            next.complete(new SignedRequest(NoEvidence.fields(action.text("reason"), action.text("code"), settings.appVersion,
                settings.systemVersion), false, this));
        }

        @Override CompletableFuture<SignedRequest> answered(HttpTransport.Answer answer) {
            String remedy = Backend.remedy(answer);
            if (remedy == null) return null;
            next = new CompletableFuture<>();
            boolean again = !retried && signed != null && (remedy.equals("retry") || remedy.equals("new-challenge"));
            retried = true;
            if (again) start(settings.freshChallenges || remedy.equals("new-challenge"));
            else next.completeExceptionally(AssayClientException.of(Fields.of("fail", "cause", "refused", "remedy", remedy)));
            return next;
        }

        @Override void lost(boolean sent) { post(Fields.of("cancel", "op", op)); }
    }
}
