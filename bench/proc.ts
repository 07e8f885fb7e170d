/** What Linux says about a process in /proc. Undefined elsewhere. */
import { readFileSync } from 'node:fs'

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

/** Seconds of processor time that a process has taken, with all its threads. */
export function cpuSecondsOf(pid: number | undefined): number | undefined {
  try {
    // The name, in brackets, may hold spaces; user and system time are the 12th and 13th field after it, in hundredths.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return undefined
  }
}
