#pragma once
#include <sys/types.h>

/// Where a program runs, and the files that are its standard input, output and errors.
struct spawn_places {
    const char *folder;
    const char *input;
    const char *output;
    const char *errors;
};

/// Starts `words[0]` with these words and environment, both ended by NULL.
///
/// It has its three files open and no other descriptor, no signal blocked or ignored, and a process group of its own.
/// In C because Swift's view of the system's headers lacks what glibc adds to them.
///
/// \returns 0, or the `errno` that says why it was not started.
int spawn_program(char *const words[], char *const environment[], struct spawn_places places, pid_t *process);
