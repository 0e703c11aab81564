import CacheRedis
import Testing

@Suite("The URL of a Redis server")
struct RedisLocationTests {
    @Test("Host, port, database, user and password are read, with their defaults")
    func parts() throws {
        let plain = try RedisLocation("redis://redis.example")
        #expect(plain.endpoint == .tcp(host: "redis.example", port: 6379))
        #expect(!plain.isTLS && plain.user == nil && plain.password == nil && plain.database == 0)
        let whole = try RedisLocation("rediss://latch%3Akey:p%40ss:word@[::1]:7000/15?ca=/etc/ca%20s.pem")
        #expect(whole.endpoint == .tcp(host: "::1", port: 7000))
        #expect(whole.isTLS && whole.authorities == "/etc/ca s.pem")
        #expect(whole.user == "latch:key" && whole.password == "p@ss:word" && whole.database == 15)
        let alone = try RedisLocation("REDIS://:secret@127.0.0.1/")
        #expect(alone.user == nil && alone.password == "secret" && alone.database == 0)
        let socket = try RedisLocation("redis+unix://u:p@/run/redis/redis.sock?db=3")
        #expect(socket.endpoint == .unix(path: "/run/redis/redis.sock"))
        #expect(socket.user == "u" && socket.password == "p" && socket.database == 3)
    }

    @Test(
        "What is wrong is named",
        arguments: [
            ("redis", .notAURL), ("redis:", .notAURL), ("redis:/host", .notAURL), ("redis://", .noHost),
            ("redis:///0", .noHost), ("redis://[::1", .noHost), ("redis://::1", .noHost), ("redis://[::1]x", .noHost),
            ("http://host", .unknownScheme("http")), ("redis://host:0", .badPort("0")),
            ("redis://host:65536", .badPort("65536")), ("redis://host:", .badPort("")),
            ("redis://host/x", .badDatabase("x")), ("redis://host/-1", .badDatabase("-1")),
            ("redis://user@host", .noPassword), ("redis://u:%4@host", .badEncoding),
            ("redis://u:%00@host", .badEncoding),
            ("redis://u:%+4@host", .badEncoding), ("redis://host/0?ca=x", .unknownOption("ca", known: [])),
            ("rediss://host/0?db=1", .unknownOption("db", known: ["ca"])), ("redis+unix://", .noPath),
            ("redis+unix:///", .noPath), ("redis+unix://host/path", .noPath),
            ("redis+unix:///path?db=a", .badDatabase("a")),
        ] as [(String, RedisLocationError)]
    )
    func wrong(url: String, error: RedisLocationError) {
        #expect(throws: error) { try RedisLocation(url) }
        #expect(!error.description.isEmpty)
    }

    @Test("Its description has no secret")
    func description() throws {
        #expect(try RedisLocation("redis://user:secret@host/1").description == "Redis at host:6379")
        #expect(try RedisLocation("rediss://user:secret@[::1]/1").description == "Redis at [::1]:6379")
        #expect(try RedisLocation("redis+unix://user:secret@/a/b").description == "Redis at /a/b")
    }
}
