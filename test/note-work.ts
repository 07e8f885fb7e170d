/**
 * Loaded before each test file: reports the processor time of the file and the processes that it
 * started. Under other load it is steadier than elapsed time. Only Linux counts the time of child
 * processes. In a group each file is a suite and reports its own time.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** Of one `utime` in `/proc/self/stat`. */
const ticksPerSecond = 100

export function secondsOfAll(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // Behind the name of the program come numbered fields: 14 to 17 are user and system time, its own
  // and of children that have ended.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
}

const { BINDERY_TEST_WORK: file } = process.env
export function noteWork(path: string, seconds: number): void {
  if (file) appendFileSync(file, `${JSON.stringify([path, seconds])}\n`)
}
// The runner's children have the file of their tests as their program; what those start does not
// count itself.
if (file && process.argv[1]?.endsWith('.test.ts') && existsSync('/proc/self/stat'))
  process.on('exit', () => noteWork(process.argv[1] as string, secondsOfAll()))
