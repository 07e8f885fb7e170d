/**
 * Controls the load process (load.ts): starts it, sends it one job at a time, and throws when a job
 * had failures.
 */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Job, Outcome } from './load.ts'
import { launch } from './processes.ts'

export type Generator = { run(job: Job): Promise<Outcome> }

/** Throws for an answer that is not 2xx, and says how it begins. */
export function makeGenerator(): Generator {
  const child: ChildProcess = launch('load', [process.execPath, join(import.meta.dirname, 'load.ts')], {
    ipc: true,
    output: 'show',
  })
  return {
    async run(job) {
      const outcome = await new Promise<Outcome>((resolve, reject) => {
        const ended = (code: number | null) => reject(new Error(`The load ended with ${code}`))
        child.once('exit', ended)
        child.once('message', (message) => {
          child.off('exit', ended)
          resolve(message as Outcome)
        })
        child.send(job)
      })
      for (const seen of [outcome.pool, outcome.beside]) {
        if (seen && seen.failed > 0)
          throw new Error(`${seen.failed} answers were not 2xx; the first:\n${seen.firstFailure}`)
      }
      return outcome
    },
  }
}
