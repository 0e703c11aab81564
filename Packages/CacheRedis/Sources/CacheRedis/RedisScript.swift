/// A script that Redis runs as one step, with nothing else in between.
enum RedisScript: Int, CaseIterable, Sendable {
    case put, take, count, takeBack

    var text: String {
        switch self {
        case .put:
            // Keys: the ceremony; what is pending in all, of its client, of its address: sorted by their ends.
            // Arguments: now, its end, milliseconds until then, its member in the sets, the value, the three limits.
            // SET is the first that writes: a server without memory refuses it, and after another write would not.
            """
            for i = 2, 4 do
                if redis.call('ZCOUNT', KEYS[i], '(' .. ARGV[1], '+inf') >= tonumber(ARGV[i + 4]) then return i - 1 end
            end
            redis.call('SET', KEYS[1], ARGV[5], 'PX', ARGV[3])
            for i = 2, 4 do
                redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', ARGV[1])
                redis.call('ZADD', KEYS[i], ARGV[2], ARGV[4])
                if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
            end
            return 0
            """
        case .take:
            // Keys: the ceremony; what is pending in all and of its client. Arguments: its member in the sets, and what
            // the names of the addresses' sets begin with. The value begins with the address and a line's end.
            """
            local value = redis.call('GETDEL', KEYS[1])
            if not value then return false end
            redis.call('ZREM', KEYS[2], ARGV[1])
            redis.call('ZREM', KEYS[3], ARGV[1])
            local last = string.find(value, '\\n', 1, true)
            if last then redis.call('ZREM', ARGV[2] .. string.sub(value, 1, last - 1), ARGV[1]) end
            return value
            """
        case .count:
            // Key: the window. Arguments: its length in milliseconds, and the count with which it begins anew.
            """
            local count = redis.call('INCR', KEYS[1])
            local left = redis.call('PTTL', KEYS[1])
            if left < 0 or count == tonumber(ARGV[2]) then
                redis.call('PEXPIRE', KEYS[1], ARGV[1])
                left = tonumber(ARGV[1])
            end
            return {count, left}
            """
        case .takeBack:
            // Key: the window. Argument: whether all tries are taken back.
            """
            local count = tonumber(redis.call('GET', KEYS[1]) or '0')
            if ARGV[1] == '1' or count <= 1 then return redis.call('DEL', KEYS[1]) end
            return redis.call('DECR', KEYS[1])
            """
        }
    }
}
