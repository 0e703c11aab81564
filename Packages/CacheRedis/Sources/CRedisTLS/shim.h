#pragma once
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>

// The client's side of TLS for one connection; OpenSSL's macros stay here.

// TLS 1.2 and later, the server's certificate verified against `authorities` (PEM), or the system's when it is NULL.
static inline SSL_CTX *latchkey_client_context(const char *authorities) {
    // libssl writes to a socket that the server may have closed, and has no other way to be told not to die of it.
    signal(SIGPIPE, SIG_IGN);
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context) return NULL;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    int isLoaded = authorities ? SSL_CTX_load_verify_locations(context, authorities, NULL)
                               : SSL_CTX_set_default_verify_paths(context);
    if (isLoaded != 1) {
        SSL_CTX_free(context);
        ERR_clear_error();
        return NULL;
    }
    return context;
}

// A connection over `descriptor` to a server that must prove to be `host`, a name or (`isAddress`) an IP address.
static inline SSL *latchkey_client_connection(SSL_CTX *context, int descriptor, const char *host, int isAddress) {
    SSL *ssl = SSL_new(context);
    if (!ssl) return NULL;
    X509_VERIFY_PARAM *parameters = SSL_get0_param(ssl);
    int isSet;
    if (isAddress) {
        isSet = X509_VERIFY_PARAM_set1_ip_asc(parameters, host);
    } else {
        X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        isSet = X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
    }
    if (isSet != 1 || SSL_set_fd(ssl, descriptor) != 1) {
        SSL_free(ssl);
        return NULL;
    }
    SSL_set_connect_state(ssl);
    return ssl;
}

// What a call came to: >0 bytes (or 1 for a finished handshake), 0 the server closed, and these.
enum { LATCHKEY_CLIENT_WANTS_READ = -1, LATCHKEY_CLIENT_WANTS_WRITE = -2, LATCHKEY_CLIENT_FAILED = -3 };

static inline int latchkey_client_outcome(SSL *ssl, int result) {
    if (result > 0) return result;
    switch (SSL_get_error(ssl, result)) {
        case SSL_ERROR_WANT_READ: return LATCHKEY_CLIENT_WANTS_READ;
        case SSL_ERROR_WANT_WRITE: return LATCHKEY_CLIENT_WANTS_WRITE;
        case SSL_ERROR_ZERO_RETURN: return 0;
        default: return LATCHKEY_CLIENT_FAILED;
    }
}

static inline int latchkey_client_handshake(SSL *ssl) {
    ERR_clear_error();
    return latchkey_client_outcome(ssl, SSL_do_handshake(ssl));
}

static inline int latchkey_client_read(SSL *ssl, void *buffer, int count) {
    ERR_clear_error();
    return latchkey_client_outcome(ssl, SSL_read(ssl, buffer, count));
}

static inline int latchkey_client_write(SSL *ssl, const void *bytes, int count) {
    ERR_clear_error();
    return latchkey_client_outcome(ssl, SSL_write(ssl, bytes, count));
}

// Why the last call failed: what is wrong with the certificate, or OpenSSL's own words.
static inline const char *latchkey_client_failure(SSL *ssl) {
    long verified = SSL_get_verify_result(ssl);
    if (verified != X509_V_OK) return X509_verify_cert_error_string(verified);
    const char *text = ERR_reason_error_string(ERR_peek_last_error());
    return text ? text : "the connection broke";
}
