#pragma once
#define _GNU_SOURCE
#include <pthread.h>
