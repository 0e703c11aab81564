#!/usr/bin/env bash
# A full disk of 4 MiB: writes 503 with Retry-After 30, reads 200, recovery within 2 s.
cd "$(dirname "$0")/../.." && exec swift test --skip-build --filter 'EndToEndTests.DiskTests'
