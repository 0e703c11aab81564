#pragma once
#include <curl/curl.h>
#include <string.h>

// curl_easy_setopt is variadic and a macro; each of these is it for one type of value.

static inline CURLcode latchkey_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode latchkey_curl_set_large(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode latchkey_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

typedef size_t (*latchkey_curl_sink)(char *bytes, size_t one, size_t count, void *context);

static inline CURLcode latchkey_curl_set_sink(CURL *handle, latchkey_curl_sink sink, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, sink);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}

static inline CURLcode latchkey_curl_set_header_sink(CURL *handle, latchkey_curl_sink sink, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, sink);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) : code;
}

static inline CURLcode latchkey_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

// What is sent comes from a function, as with a mail.
static inline CURLcode latchkey_curl_set_source(CURL *handle, latchkey_curl_sink source, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, source);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_READDATA, context) : code;
}

static inline CURLcode latchkey_curl_set_recipients(CURL *handle, struct curl_slist *recipients) {
    return curl_easy_setopt(handle, CURLOPT_MAIL_RCPT, recipients);
}

static inline CURLcode latchkey_curl_set_places(CURL *handle, struct curl_slist *places) {
    return curl_easy_setopt(handle, CURLOPT_CONNECT_TO, places);
}

// The other side's own certificate in PEM, where CURLOPT_CERTINFO was set; it goes with the handle.
static inline const char *latchkey_curl_certificate(CURL *handle) {
    struct curl_certinfo *info = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &info) != CURLE_OK || !info || info->num_of_certs < 1) return NULL;
    for (struct curl_slist *line = info->certinfo[0]; line; line = line->next) {
        if (strncmp(line->data, "Cert:", 5) == 0) return line->data + 5;
    }
    return NULL;
}

// The bytes are copied.
static inline CURLcode latchkey_curl_set_body(CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

static inline long latchkey_curl_status(CURL *handle) {
    long status = 0;
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

static inline CURLcode latchkey_curl_start(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}
