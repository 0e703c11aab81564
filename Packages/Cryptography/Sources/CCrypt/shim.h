#pragma once

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

// A working area is 32 KiB, too much for the stack of a small thread. It holds the passphrase, so it is cleared.

static inline int latchkey_crypt(const char *passphrase, const char *setting, char *output, size_t size) {
    struct crypt_data *data = calloc(1, sizeof *data);
    if (data == NULL) return -1;
    const char *result = crypt_rn(passphrase, setting, data, (int)sizeof *data);
    size_t count = result == NULL ? 0 : strlen(result);
    int code = 0;
    if (result != NULL && count < size) {
        memcpy(output, result, count + 1);
        code = (int)count;
    }
    explicit_bzero(data, sizeof *data);
    free(data);
    return code;
}
