import CLinux
import Synchronization
import Threads

/// Looks now and then whether certificate files have changed, on a thread of its own, since disks can make one wait.
///
/// It compares what `stat` says instead of watching the folder, because certificates are often replaced by moving a
/// symbolic link two folders up.
final class CertificateWatcher: Sendable {
    private let wake: Int32
    private let stopping = Atomic<Bool>(false)
    private let thread: Lock<WorkerThread?>

    /// Starts the thread, which calls `onChange` for each of `files` that is not any more as `states` says.
    init(
        _ files: [TLSFiles],
        _ states: [FileStates],
        every interval: Duration,
        onChange: @escaping @Sendable (TLSFiles) -> Void
    ) throws(ServerError) {
        wake = latchkey_eventfd()
        guard wake >= 0 else { throw .outOfResources(reason: systemReason(-wake)) }
        thread = Lock(nil)
        let milliseconds = Int32(clamping: max(1, interval.wholeNanoseconds / 1_000_000))
        do throws(ThreadError) {
            let started = try WorkerThread(name: "tls-files") { [weak self] in
                var known = states
                while let self, !self.stopping.load(ordering: .acquiring) {
                    latchkey_await(self.wake, milliseconds)
                    for (index, files) in files.enumerated() where index < known.count {
                        let states = FileStates(files)
                        if states != known[index] {
                            known[index] = states
                            onChange(files)
                        }
                    }
                }
            }
            thread.withLock { $0 = started }
        } catch {
            throw .outOfResources(reason: systemReason(error.code))
        }
    }

    deinit { if wake >= 0 { latchkey_close(wake) } }

    func stop() {
        stopping.store(true, ordering: .releasing)
        latchkey_wake(wake)
        thread.withLock { thread in
            let taken = thread
            thread = nil
            return taken
        }?.join()
    }
}

/// What a certificate and its key looked like.
struct FileStates: Equatable {
    let certificate: FileState
    let key: FileState

    init(_ files: TLSFiles) {
        certificate = FileState(files.certificate)
        key = FileState(files.key)
    }
}

struct FileState: Equatable {
    let device: UInt64
    let inode: UInt64
    let size: UInt64
    let modified: Int64

    init(_ path: String) {
        var state = latchkey_file_state()
        unsafe latchkey_file_state(path, &state)
        device = state.device
        inode = state.inode
        size = state.size
        modified = state.modified
    }
}
