/**
 * The load, a process of its own. It receives jobs as messages, performs one at a time, and answers
 * each with its counts and latencies.
 */
import { type Pool, runPool, type Seen } from './load-pool.ts'
import { cpuSecondsOf } from './proc.ts'

export type Job = {
  readonly port: number
  /** The server's, to see how much processor time it takes. */
  readonly pid: number | undefined
  readonly warmSeconds: number
  readonly seconds: number
  /** Each request once, and then it is over. */
  readonly once?: boolean
  readonly pool: Pool
  /** Runs at the same time; what it sees is counted apart. */
  readonly beside?: Pool
}

/**
 * `busy`: the share of the time in which the load's own core was at work. `cpuSeconds`: what the
 * server took.
 */
export type Outcome = {
  readonly pool: Seen
  readonly beside: Seen | undefined
  readonly busy: number
  readonly cpuSeconds: number | undefined
}

const pause = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000))

async function perform({ port, pid, warmSeconds, seconds, once = false, pool, beside }: Job): Promise<Outcome> {
  const side = beside && runPool(port, beside, false)
  if (side) await pause(0.2)
  const main = runPool(port, pool, once)
  if (!once) await pause(warmSeconds)
  main.clear()
  side?.clear()
  const began = performance.now()
  const cpu = process.cpuUsage()
  const served = cpuSecondsOf(pid)
  await (once ? Promise.race([main.done, pause(seconds)]) : pause(seconds))
  const took = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const cpuSeconds = served === undefined ? undefined : (cpuSecondsOf(pid) ?? 0) - served
  main.stop()
  side?.stop()
  return { pool: main.seen(took), beside: side?.seen(took), busy: (user + system) / 1e6 / took, cpuSeconds }
}

process.on('message', async (job: Job) => {
  const outcome = await perform(job)
  process.send?.(outcome)
})
process.on('disconnect', () => process.exit(0))
