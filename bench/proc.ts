/** Memory and processor time of a process, from Linux's /proc. Undefined elsewhere. */
import { readdirSync, readFileSync } from 'node:fs'

export type Memory = { readonly residentMiB: number; readonly peakMiB: number }

export function memoryOf(pid: number | undefined): Memory | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const mebibytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
    return { residentMiB: mebibytes('VmRSS'), peakMiB: mebibytes('VmHWM') }
  } catch {
    return undefined
  }
}

/**
 * Seconds of processor time that the threads of a process have taken, to the nanosecond; of those
 * that have ended, nothing.
 */
export function cpuSecondsOf(pid: number | undefined): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const spent = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]))
    return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9
  } catch {
    return undefined
  }
}
