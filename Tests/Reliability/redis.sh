#!/usr/bin/env bash
# Redis stopped and killed under a running server: /passkey/* 503 within 0.5 s, everything else served, nothing good twice.
cd "$(dirname "$0")/../.." && exec swift test --skip-build --filter 'EndToEndTests.RedisTests'
