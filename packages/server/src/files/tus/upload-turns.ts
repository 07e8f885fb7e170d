/**
 * The requests about one upload take turns within a process. A new one asks the running one to end:
 * a client that lost its connection comes back before the server notices. The bytes that have
 * arrived are kept.
 */

type RunningTurn = { readonly ask: () => void; readonly ended: Promise<void> }

/** As the package `@tus/server` asks for it, whose own one polls without a pause. */
export type UploadTurns = {
  newLock(id: string): {
    lock(signal: AbortSignal, ask: () => void | Promise<void>): Promise<void>
    unlock(): Promise<void>
  }
}

export function makeUploadTurns(): UploadTurns {
  const running = new Map<string, RunningTurn>()
  return {
    newLock(id) {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      return {
        async lock(_signal, ask) {
          for (let other = running.get(id); other; other = running.get(id)) {
            other.ask()
            await other.ended
          }
          running.set(id, { ask: () => void ask(), ended })
        },
        async unlock() {
          running.delete(id)
          end()
        },
      }
    },
  }
}
