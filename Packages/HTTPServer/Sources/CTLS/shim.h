#pragma once
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>

// OpenSSL's options and modes are macros or 64-bit enumerations, and its callbacks take pointers: all of it stays here.

static inline int latchkey_select_http11(
    SSL *ssl, const unsigned char **out, unsigned char *outLength, const unsigned char *in, unsigned int inLength,
    void *argument
) {
    static const unsigned char offered[] = "\x08http/1.1";
    (void)ssl;
    (void)argument;
    if (SSL_select_next_proto((unsigned char **)out, outLength, offered, 9, in, inLength) == OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_OK;
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

// A server context: TLS 1.2 and later, ALPN http/1.1, buffers given back while a connection is idle.
static inline SSL_CTX *latchkey_tls_context(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context) return NULL;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(
        context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                     SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF
    );
    SSL_CTX_set_mode(
        context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
    );
    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_session_id_context(context, (const unsigned char *)"latchkey", 8);
    SSL_CTX_set_alpn_select_cb(context, latchkey_select_http11, NULL);
    return context;
}

static inline int latchkey_tls_use(SSL_CTX *context, const char *certificate, const char *key) {
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1) return 1;
    if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) return 2;
    if (SSL_CTX_check_private_key(context) != 1) return 3;
    return 0;
}

static inline void latchkey_tls_last_error(char *text, size_t count) {
    unsigned long code = ERR_peek_last_error();
    if (code) ERR_error_string_n(code, text, count);
    else if (count) text[0] = 0;
    ERR_clear_error();
}

static inline SSL *latchkey_tls_accept(SSL_CTX *context, int fd) {
    SSL *ssl = SSL_new(context);
    if (!ssl) return NULL;
    if (SSL_set_fd(ssl, fd) != 1) {
        SSL_free(ssl);
        return NULL;
    }
    SSL_set_accept_state(ssl);
    return ssl;
}

// What a TLS call came to: >0 bytes (or 1 for a finished handshake), 0 the peer closed, and these.
enum { LATCHKEY_TLS_WANTS_READ = -1, LATCHKEY_TLS_WANTS_WRITE = -2, LATCHKEY_TLS_FAILED = -3 };

static inline int latchkey_tls_outcome(SSL *ssl, int result) {
    if (result > 0) return result;
    switch (SSL_get_error(ssl, result)) {
        case SSL_ERROR_WANT_READ: return LATCHKEY_TLS_WANTS_READ;
        case SSL_ERROR_WANT_WRITE: return LATCHKEY_TLS_WANTS_WRITE;
        case SSL_ERROR_ZERO_RETURN: return 0;
        default: ERR_clear_error(); return LATCHKEY_TLS_FAILED;
    }
}

static inline int latchkey_tls_handshake(SSL *ssl) {
    ERR_clear_error();
    return latchkey_tls_outcome(ssl, SSL_do_handshake(ssl));
}

static inline int latchkey_tls_read(SSL *ssl, void *buffer, int count) {
    ERR_clear_error();
    return latchkey_tls_outcome(ssl, SSL_read(ssl, buffer, count));
}

static inline int latchkey_tls_write(SSL *ssl, const void *bytes, int count) {
    ERR_clear_error();
    return latchkey_tls_outcome(ssl, SSL_write(ssl, bytes, count));
}

static inline void latchkey_tls_close_notify(SSL *ssl) {
    ERR_clear_error();
    if (SSL_is_init_finished(ssl)) SSL_shutdown(ssl);
    ERR_clear_error();
}
