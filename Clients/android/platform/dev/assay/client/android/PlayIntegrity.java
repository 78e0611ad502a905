package dev.assay.client.android;

import android.app.Activity;
import android.content.Context;
import com.google.android.gms.tasks.Task;
import com.google.android.play.core.integrity.IntegrityManager;
import com.google.android.play.core.integrity.IntegrityManagerFactory;
import com.google.android.play.core.integrity.IntegrityServiceException;
import com.google.android.play.core.integrity.IntegrityTokenRequest;
import com.google.android.play.core.integrity.StandardIntegrityException;
import com.google.android.play.core.integrity.StandardIntegrityManager;
import com.google.android.play.core.integrity.StandardIntegrityManager.PrepareIntegrityTokenRequest;
import com.google.android.play.core.integrity.StandardIntegrityManager.StandardIntegrityDialogRequest;
import com.google.android.play.core.integrity.StandardIntegrityManager.StandardIntegrityDialogRequest.StandardIntegrityResponse;
import com.google.android.play.core.integrity.StandardIntegrityManager.StandardIntegrityToken;
import com.google.android.play.core.integrity.StandardIntegrityManager.StandardIntegrityTokenProvider;
import com.google.android.play.core.integrity.StandardIntegrityManager.StandardIntegrityTokenRequest;
import dev.assay.client.IntegrityPlatform;
import dev.assay.client.PlatformException;
import dev.assay.client.PlatformException.Kind;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Play Integrity, by Google's library {@code com.google.android.play:integrity} from 1.5.0 on. */
public final class PlayIntegrity implements IntegrityPlatform {
    /** Google's own limit of a preparation. */
    private static final long LIMIT_SECONDS = 60;
    private static final int REPAIRED = 3;
    private final StandardIntegrityManager standard;
    private final IntegrityManager classic;
    private final List<Runnable> repaired = new CopyOnWriteArrayList<>();
    private final long cloudProject;
    /** What the next dialog is about: the last token, or the last error. */
    private volatile StandardIntegrityResponse last;

    public PlayIntegrity(Context context, long cloudProjectNumber) {
        standard = IntegrityManagerFactory.createStandard(context);
        classic = IntegrityManagerFactory.create(context);
        cloudProject = cloudProjectNumber;
    }

    @Override public Object prepare() throws PlatformException {
        return result(standard.prepareIntegrityToken(PrepareIntegrityTokenRequest.builder().setCloudProjectNumber(cloudProject).build()));
    }

    @Override public String request(Object provider, String requestHash) throws PlatformException {
        StandardIntegrityToken token = result(((StandardIntegrityTokenProvider) provider).request(
            StandardIntegrityTokenRequest.builder().setRequestHash(requestHash).build()));
        last = new StandardIntegrityResponse.TokenResponse(token);
        return nonEmpty(token.token());
    }

    /**
     * A classic token, for a record of the kind {@code play-integrity.classic} that the app sends itself: a few seconds, five a minute.
     *
     * @param nonce the challenge of the server, base64url
     */
    public String classic(String nonce) throws PlatformException {
        return nonEmpty(result(classic.requestIntegrityToken(
            IntegrityTokenRequest.builder().setNonce(nonce).setCloudProjectNumber(cloudProject).build())).token());
    }

    /** Apps have seen empty tokens of a provider that had become invalid. */
    private static String nonEmpty(String token) throws PlatformException {
        if (token == null || token.isEmpty()) throw new PlatformException(Kind.PROVIDER_INVALID, "play-integrity:empty", null);
        return token;
    }

    @Override public void onRepaired(Runnable action) { repaired.add(action); }

    /**
     * Shows Google's dialog about the last token or error. The app's server says which: 1 licence, 2 and 3 close apps, 4 integrity, 5
     * strong integrity.
     *
     * @return Google's code: 0 unavailable, 1 failed, 2 cancelled, 3 successful; then the next request may be accepted
     */
    public CompletableFuture<Integer> showDialog(Activity activity, int typeCode) {
        StandardIntegrityResponse about = last;
        if (about == null) return CompletableFuture.completedFuture(0);
        return future(standard.showDialog(StandardIntegrityDialogRequest.builder().setActivity(activity).setTypeCode(typeCode)
            .setStandardIntegrityResponse(about).build())).thenApply(result -> {
                if (result == REPAIRED) for (Runnable action : repaired) action.run();
                return result;
            });
    }

    private static <T> CompletableFuture<T> future(Task<T> task) {
        CompletableFuture<T> future = new CompletableFuture<>();
        // On the thread that completes the task: the default, the main thread, may wait for this one.
        task.addOnCompleteListener(Runnable::run, ended -> {
            if (ended.isSuccessful()) future.complete(ended.getResult());
            else future.completeExceptionally(ended.getException() == null ? new TimeoutException() : ended.getException());
        });
        return future;
    }

    private <T> T result(Task<T> task) throws PlatformException {
        try {
            return future(task).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException error) {
            throw failure(error.getCause());
        } catch (TimeoutException error) {
            throw new PlatformException(Kind.LATER, "play-integrity:timeout", error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new PlatformException(Kind.LATER, "play-integrity:interrupted", error);
        }
    }

    private PlatformException failure(Throwable cause) {
        if (cause instanceof StandardIntegrityException) {
            StandardIntegrityException error = (StandardIntegrityException) cause;
            last = new StandardIntegrityResponse.ExceptionDetails(error);
            return new PlatformException(kind(error.getErrorCode()), "play-integrity:" + error.getErrorCode(), error);
        }
        if (cause instanceof IntegrityServiceException) {
            int code = ((IntegrityServiceException) cause).getErrorCode();
            // CLIENT_TRANSIENT_ERROR of classic requests; in standard ones a hash that is too long.
            return new PlatformException(code == -17 ? Kind.LATER : kind(code), "play-integrity:" + code, cause);
        }
        return new PlatformException(Kind.LATER, "play-integrity:" + cause.getClass().getSimpleName(), cause);
    }

    /** The classes of StandardIntegrityErrorCode. */
    private static Kind kind(int code) {
        switch (code) {
            // API_NOT_AVAILABLE (also while the Play Store is being updated), NETWORK_ERROR, TOO_MANY_REQUESTS,
            // GOOGLE_SERVER_UNAVAILABLE, CLIENT_TRANSIENT_ERROR, INTERNAL_ERROR.
            case -1:
            case -3:
            case -8:
            case -12:
            case -18:
            case -100: return Kind.LATER;
            case -19: return Kind.PROVIDER_INVALID;
            // PLAY_STORE_NOT_FOUND, PLAY_SERVICES_NOT_FOUND, PLAY_STORE_ACCOUNT_NOT_FOUND, CANNOT_BIND_TO_SERVICE, and the outdated ones.
            case -2:
            case -4:
            case -6:
            case -9:
            case -14:
            case -15: return Kind.NO_PLAY_SERVICES;
            // APP_NOT_INSTALLED, APP_UID_MISMATCH, and faults of the app.
            default: return Kind.FAILED;
        }
    }
}
