/** What is known of a process whatever it does: its memory, its time, its versions. */
import { getHeapStatistics } from 'node:v8'
import type { Family } from '../../observe/family.ts'
import { shared, single } from '../../observe/meter.ts'

/** What a process takes of the machine, whether it serves or leads those that do. */
export function takenHere(): Family[] {
  const { user, system } = process.cpuUsage()
  const { rss } = process.memoryUsage()
  return [
    single('counter', { name: 'bindery_cpu_seconds_total', help: 'Processor time, in all.' }, (user + system) / 1e6),
    single('gauge', { name: 'bindery_memory_bytes', help: 'Memory that the system has given.' }, rss),
  ]
}

export function makeProcessFigures(version: string): () => Family[] {
  return () => {
    const startedSeconds = Math.round(Date.now() / 1000 - process.uptime())
    return [
      ...takenHere(),
      single('gauge', { name: 'bindery_workers', help: 'Processes that serve.' }, 1),
      single(
        'gauge',
        { name: 'bindery_heap_used_bytes', help: 'Heap in use, garbage included.' },
        process.memoryUsage().heapUsed,
      ),
      single(
        'gauge',
        { name: 'bindery_heap_limit_bytes', help: 'Heap that there may be.' },
        getHeapStatistics().heap_size_limit,
      ),
      shared(
        { name: 'bindery_start_time_seconds', help: 'When the youngest process started, since 1970.' },
        startedSeconds,
      ),
      shared({ name: 'bindery_build_info', help: 'Always 1; the versions are its labels.' }, 1, {
        version,
        node: process.versions.node,
      }),
    ]
  }
}
