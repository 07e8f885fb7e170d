/**
 * The worker thread that copies the log every second, until it is told to stop. It reports a
 * failure once a minute, and tries again.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { type CopierOptions, openCopier, type ReportProgress } from './log-copier.ts'

const everyMs = 1_000
const warnEveryMs = 60_000

const tell: ReportProgress = (level, text) => parentPort?.postMessage({ level, text })

let stopped = false
let wake = () => {}
parentPort?.once('message', () => {
  stopped = true
  wake()
})

const pause = () =>
  new Promise<void>((resolve) => {
    wake = resolve
    setTimeout(resolve, everyMs)
  })

try {
  const copier = await openCopier(workerData as CopierOptions, tell)
  let warnedMs = Number.NEGATIVE_INFINITY
  let failing = false
  while (!stopped) {
    try {
      const copied = await copier.round()
      parentPort?.postMessage({ copied })
      if (failing) tell('info', 'The log is copied again')
      failing = false
    } catch (error) {
      failing = true
      if (performance.now() - warnedMs >= warnEveryMs) {
        warnedMs = performance.now()
        tell('warn', `The log is not copied: ${(error as Error).message}. It is tried every second`)
      }
    }
    if (!stopped) await pause()
  }
  await copier.close()
} catch (error) {
  tell('warn', `The log is not copied: ${(error as Error).message}`)
}
process.exit() // of this thread: an upload may hang
