package dev.assay.client.android;

import android.os.Build;
import android.security.KeyStoreException;
import android.security.keystore.KeyPermanentlyInvalidatedException;
import android.security.keystore.UserNotAuthenticatedException;
import dev.assay.client.PlatformException;
import dev.assay.client.PlatformException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the kit does about an error of Android's keystore. Codes are those of android.security.KeyStoreException. */
final class KeystoreErrors {
    private static final Pattern INTERNAL = Pattern.compile("(?<![A-Za-z0-9_-])-[0-9]{1,5}\\b");

    private KeystoreErrors() {}

    static PlatformException of(Throwable error) {
        List<Throwable> chain = new ArrayList<>();
        for (Throwable cause = error; cause != null && chain.size() < 8; cause = cause.getCause()) chain.add(cause);
        // The class is public since API 33, and hidden before. Others wrap it, whatever they say by their own class.
        if (Build.VERSION.SDK_INT >= 33) {
            for (Throwable cause : chain) if (cause instanceof KeyStoreException) return of((KeyStoreException) cause);
        }
        for (Throwable cause : chain) {
            if (cause instanceof KeyPermanentlyInvalidatedException) return failure(Kind.KEY_GONE, "6", error);
            if (cause instanceof UserNotAuthenticatedException) return failure(Kind.LOCKED, "2", error);
        }
        return ofText(chain);
    }

    private static PlatformException of(KeyStoreException error) {
        int code = error.getNumericErrorCode();
        return failure(kind(error, code), "" + code, error);
    }

    private static Kind kind(KeyStoreException error, int code) {
        switch (code) {
            case KeyStoreException.ERROR_ATTESTATION_KEYS_UNAVAILABLE:
                return error.getRetryPolicy() == KeyStoreException.RETRY_NEVER ? Kind.UNSUPPORTED : Kind.LATER;
            // ERROR_DEVICE_REQUIRES_UPGRADE_FOR_ATTESTATION, of newer systems.
            case 17: return Kind.UNSUPPORTED;
            case KeyStoreException.ERROR_KEY_DOES_NOT_EXIST:
            case KeyStoreException.ERROR_KEY_CORRUPTED:
            case KeyStoreException.ERROR_KEY_NOT_TEMPORALLY_VALID: return Kind.KEY_GONE;
            case KeyStoreException.ERROR_KEY_OPERATION_EXPIRED: return Kind.AGAIN;
            case KeyStoreException.ERROR_USER_AUTHENTICATION_REQUIRED:
            case KeyStoreException.ERROR_KEYSTORE_UNINITIALIZED: return Kind.LOCKED;
            case KeyStoreException.ERROR_INTERNAL_SYSTEM_ERROR:
            case KeyStoreException.ERROR_KEYMINT_FAILURE:
            case KeyStoreException.ERROR_KEYSTORE_FAILURE:
                // A fault of this key alone needs another key; one of the system passes, or stays.
                return error.isTransientFailure() || error.isSystemError() ? Kind.LATER : Kind.KEY_GONE;
            case KeyStoreException.ERROR_UNIMPLEMENTED: return Kind.UNSUPPORTED;
            default: return error.isTransientFailure() ? Kind.LATER : Kind.BUG;
        }
    }

    /** Before API 33 only the text has the code of KeyMaster or of the keystore, or its name. */
    private static PlatformException ofText(List<Throwable> chain) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause : chain) text.append(cause.getMessage()).append(' ');
        Throwable error = chain.get(0);
        Matcher found = INTERNAL.matcher(text);
        String code = found.find() ? found.group() : text.indexOf("Invalid key blob") >= 0 ? "-33"
            : text.indexOf("Key not found") >= 0 ? "6" : error.getClass().getSimpleName();
        switch (code) {
            // ATTESTATION_KEYS_NOT_PROVISIONED, UNIMPLEMENTED.
            case "-74":
            case "-100": return failure(Kind.UNSUPPORTED, code, error);
            // INVALID_KEY_BLOB, KEY_EXPIRED.
            case "6":
            case "-33":
            case "-25": return failure(Kind.KEY_GONE, code, error);
            // KEY_USER_NOT_AUTHENTICATED, DEVICE_LOCKED.
            case "-26":
            case "-72": return failure(Kind.LOCKED, code, error);
            default: return failure(Kind.LATER, code, error);
        }
    }

    private static PlatformException failure(Kind kind, String code, Throwable error) {
        return new PlatformException(kind, "keystore:" + code, error);
    }
}
