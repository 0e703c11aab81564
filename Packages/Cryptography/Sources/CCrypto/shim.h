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

// A parameter keeps the pointer to its name, so the name has to be C's own: a Swift string would be gone after the call.

static inline OSSL_PARAM latchkey_digest_parameter(char *name) {
    return OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0);
}

static inline OSSL_PARAM latchkey_group_parameter(char *name) {
    return OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, name, 0);
}

static inline OSSL_PARAM latchkey_modulus_parameter(unsigned char *native_order, size_t count) {
    return OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_N, native_order, count);
}

static inline OSSL_PARAM latchkey_exponent_parameter(unsigned char *native_order, size_t count) {
    return OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_E, native_order, count);
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
