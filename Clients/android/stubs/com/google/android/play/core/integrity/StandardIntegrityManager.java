package com.google.android.play.core.integrity;

import android.app.Activity;
import com.google.android.gms.tasks.Task;

/** As in com.google.android.play:integrity 1.6.0. */
public interface StandardIntegrityManager {
    Task<StandardIntegrityTokenProvider> prepareIntegrityToken(PrepareIntegrityTokenRequest request);

    Task<Integer> showDialog(StandardIntegrityDialogRequest request);

    interface StandardIntegrityTokenProvider {
        Task<StandardIntegrityToken> request(StandardIntegrityTokenRequest request);
    }

    abstract class StandardIntegrityToken {
        public abstract String token();
    }

    class PrepareIntegrityTokenRequest {
        public long cloudProject;

        public static Builder builder() {
            return new Builder();
        }

        public static class Builder {
            private final PrepareIntegrityTokenRequest request = new PrepareIntegrityTokenRequest();

            public Builder setCloudProjectNumber(long number) {
                request.cloudProject = number;
                return this;
            }

            public PrepareIntegrityTokenRequest build() {
                return request;
            }
        }
    }

    class StandardIntegrityTokenRequest {
        public String requestHash;

        public static Builder builder() {
            return new Builder();
        }

        public static class Builder {
            private final StandardIntegrityTokenRequest request = new StandardIntegrityTokenRequest();

            public Builder setRequestHash(String hash) {
                request.requestHash = hash;
                return this;
            }

            public StandardIntegrityTokenRequest build() {
                return request;
            }
        }
    }

    class StandardIntegrityDialogRequest {
        public Activity activity;
        public int typeCode;
        public StandardIntegrityResponse response;

        public static Builder builder() {
            return new Builder();
        }

        public abstract static class StandardIntegrityResponse {
            public static final class TokenResponse extends StandardIntegrityResponse {
                public TokenResponse(StandardIntegrityToken token) {}
            }

            public static final class ExceptionDetails extends StandardIntegrityResponse {
                public final StandardIntegrityException exception;

                public ExceptionDetails(StandardIntegrityException exception) {
                    this.exception = exception;
                }
            }
        }

        public static class Builder {
            private final StandardIntegrityDialogRequest request = new StandardIntegrityDialogRequest();

            public Builder setActivity(Activity activity) {
                request.activity = activity;
                return this;
            }

            public Builder setTypeCode(int code) {
                request.typeCode = code;
                return this;
            }

            public Builder setStandardIntegrityResponse(StandardIntegrityResponse response) {
                request.response = response;
                return this;
            }

            public StandardIntegrityDialogRequest build() {
                return request;
            }
        }
    }
}
