/** Metrics that any process has: memory, processor time, versions. */
import { getHeapStatistics } from 'node:v8'
import { counter, gauge, type MetricFamily, shared } from '../../observe/metric-family.ts'

/** The resources of the machine that the process uses, as worker or leader. */
export function takenHere(): MetricFamily[] {
  const { user, system } = process.cpuUsage()
  const { rss } = process.memoryUsage()
  return [
    counter('bindery_cpu_seconds_total', 'Processor time, in all.', (user + system) / 1e6),
    gauge('bindery_memory_bytes', 'Memory that the system has given.', rss),
  ]
}

export function makeProcessFigures(version: string): () => MetricFamily[] {
  return () => {
    const startedSeconds = Math.round(Date.now() / 1000 - process.uptime())
    return [
      ...takenHere(),
      gauge('bindery_workers', 'Processes that serve.', 1),
      gauge('bindery_heap_used_bytes', 'Heap in use, garbage included.', process.memoryUsage().heapUsed),
      gauge('bindery_heap_limit_bytes', 'Heap that there may be.', getHeapStatistics().heap_size_limit),
      shared('bindery_start_time_seconds', 'When the youngest process started, since 1970.', startedSeconds),
      shared('bindery_build_info', 'Always 1; the versions are its labels.', [
        { labels: { version, node: process.versions.node }, value: 1 },
      ]),
    ]
  }
}
