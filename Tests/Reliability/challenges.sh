#!/usr/bin/env bash
# One challenge, 10,000 uses by 3 processes, one success; 2,000 challenges raced for by 4 processes: on Redis and SQLite.
cd "$(dirname "$0")/../.." && exec swift test --skip-build --filter 'CacheRedisTests.ContractTests|StoreSQLiteTests.ChallengeTests'
