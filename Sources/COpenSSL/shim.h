#pragma once

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/modes.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// What follows is only what Swift cannot import by itself: type-checked stacks are made of macros.

static inline STACK_OF(X509) *assay_x509_stack_new(void) {
    return sk_X509_new_null();
}

static inline int assay_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}

static inline int assay_x509_stack_count(const STACK_OF(X509) *stack) {
    return sk_X509_num(stack);
}

static inline X509 *assay_x509_stack_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

/// Frees the stack and leaves the certificates to their owners.
static inline void assay_x509_stack_free(STACK_OF(X509) *stack) {
    sk_X509_free(stack);
}

/// Frees the stack and its reference to each certificate.
static inline void assay_x509_stack_free_all(STACK_OF(X509) *stack) {
    sk_X509_pop_free(stack, X509_free);
}

static inline int assay_cms_signer_count(CMS_ContentInfo *message) {
    return sk_CMS_SignerInfo_num(CMS_get0_SignerInfos(message));
}

static inline CMS_SignerInfo *assay_cms_signer(CMS_ContentInfo *message, int index) {
    return sk_CMS_SignerInfo_value(CMS_get0_SignerInfos(message), index);
}

static inline long assay_bio_contents(BIO *bio, char **contents) {
    return BIO_get_mem_data(bio, contents);
}

static inline void assay_free(void *allocation) {
    OPENSSL_free(allocation);
}

// A parameter keeps the address of its name. The names are macros, which Swift imports as strings of its own: their C form
// is gone when the call that it was made for returns.

static inline OSSL_PARAM assay_mac_digest(char *name) {
    return OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0);
}

// SHA-256 without EVP. OpenSSL 3.0 deprecates these three and has nothing else that neither allocates nor counts
// references that threads share.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static inline void assay_sha256_begin(SHA256_CTX *context) {
    SHA256_Init(context);
}

static inline void assay_sha256_update(SHA256_CTX *context, const void *bytes, size_t count) {
    SHA256_Update(context, bytes, count);
}

/// Writes 32 bytes and wipes the context.
static inline void assay_sha256_finish(SHA256_CTX *context, unsigned char *digest) {
    SHA256_Final(digest, context);
    OPENSSL_cleanse(context, sizeof *context);
}

#pragma GCC diagnostic pop
