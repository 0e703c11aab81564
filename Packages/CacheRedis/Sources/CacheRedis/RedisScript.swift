import Identity

/// A script that Redis runs as one step, with nothing else in between.
enum RedisScript: Int, CaseIterable, Sendable {
    case put, take, count, takeBack

    var text: String {
        switch self {
        case .put:
            // Keys: the ceremony; what is pending in all, of its client, of its address: sorted by their ends.
            // Arguments: now, its end, milliseconds until then, its member in the sets, the value, the three limits.
            // A large one has several members, so that it counts for as many. SET is the first that writes: a server
            // without memory refuses it, and after another write would not.
            """
            local weight = math.max(1, math.ceil(#ARGV[5] / \(PendingCeremony.usualSize)))
            for i = 2, 4 do
                local pending = redis.call('ZCOUNT', KEYS[i], '(' .. ARGV[1], '+inf')
                if pending + weight > tonumber(ARGV[i + 4]) then return i - 1 end
            end
            redis.call('SET', KEYS[1], ARGV[5], 'PX', ARGV[3])
            for i = 2, 4 do
                redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', ARGV[1])
                redis.call('ZADD', KEYS[i], ARGV[2], ARGV[4])
                for part = 2, weight do redis.call('ZADD', KEYS[i], ARGV[2], ARGV[4] .. part) end
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
            local members = {ARGV[1]}
            for part = 2, math.ceil(#value / \(PendingCeremony.usualSize)) do members[part] = ARGV[1] .. part end
            redis.call('ZREM', KEYS[2], unpack(members))
            redis.call('ZREM', KEYS[3], unpack(members))
            local last = string.find(value, '\\n', 1, true)
            if last then redis.call('ZREM', ARGV[2] .. string.sub(value, 1, last - 1), unpack(members)) end
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
