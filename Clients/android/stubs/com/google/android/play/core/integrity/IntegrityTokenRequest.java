package com.google.android.play.core.integrity;

public class IntegrityTokenRequest {
    public String nonce;
    public long cloudProject;

    public static Builder builder() {
        return new Builder();
    }

    public static class Builder {
        private final IntegrityTokenRequest request = new IntegrityTokenRequest();

        public Builder setNonce(String nonce) {
            request.nonce = nonce;
            return this;
        }

        public Builder setCloudProjectNumber(long number) {
            request.cloudProject = number;
            return this;
        }

        public IntegrityTokenRequest build() {
            return request;
        }
    }
}
