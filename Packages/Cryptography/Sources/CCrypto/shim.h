#pragma once

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <sys/random.h>

// Macros, and functions whose signature Swift cannot call, as functions.

static const int latchkey_public_key_selection = EVP_PKEY_PUBLIC_KEY;
static const int latchkey_parameters_selection = EVP_PKEY_KEY_PARAMETERS;

static inline int latchkey_gcm_set_nonce_length(EVP_CIPHER_CTX *context, int count) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, count, NULL);
}

static inline int latchkey_gcm_get_tag(EVP_CIPHER_CTX *context, int count, unsigned char *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, count, tag);
}

static inline int latchkey_gcm_set_tag(EVP_CIPHER_CTX *context, int count, const unsigned char *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, count, (void *)tag);
}

static inline EVP_PKEY *latchkey_generate_ec(const char *group) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", group);
}

static inline EVP_PKEY *latchkey_generate_rsa(size_t bits) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits);
}

static inline EVP_PKEY *latchkey_generate(const char *type) {
    return EVP_PKEY_Q_keygen(NULL, NULL, type);
}

static inline void latchkey_free(void *memory) {
    OPENSSL_free(memory);
}

static inline void latchkey_clear_free(void *memory, size_t count) {
    OPENSSL_clear_free(memory, count);
}
