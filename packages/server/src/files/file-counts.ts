/** Metrics of files: bytes in both directions, refused uploads, and files without a record. */
import { ApiError, type ErrorCode } from '../errors.ts'
import { counter, type MetricFamily, shared } from '../observe/metric-family.ts'

/** `in`: of uploads, as they are stored. `out`: of files, as they are sent. */
const directions = ['in', 'out'] as const
type Direction = (typeof directions)[number]

/** The reason of a refusal in metrics; the others are no facts of the upload. */
const reasons: Partial<Record<ErrorCode, string>> = {
  'too-large': 'size',
  'unsupported-media-type': 'type',
  'too-many-requests': 'waiting',
  'bad-request': 'broken',
  timeout: 'broken',
}
const reasonNames = [...new Set(Object.values(reasons))]

export type WaitingFiles = { readonly waiting: number; readonly due: number }

export type FileCounts = {
  /** The same bytes, counted as they pass. */
  passing(direction: Direction, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** Does the work, and counts the refusal that it throws. */
  refusing<T>(work: () => Promise<T>): Promise<T>
  families(without: WaitingFiles): readonly MetricFamily[]
}

export function makeFileCounts(): FileCounts {
  const bytes = { in: 0, out: 0 }
  const refused = new Map(reasonNames.map((reason) => [reason, 0]))
  return {
    async *passing(direction, source) {
      for await (const chunk of source) {
        bytes[direction] += chunk.length
        yield chunk
      }
    },
    async refusing(work) {
      try {
        return await work()
      } catch (error) {
        const reason = error instanceof ApiError ? reasons[error.code] : undefined
        if (reason !== undefined) refused.set(reason, (refused.get(reason) ?? 0) + 1)
        throw error
      }
    },
    families({ waiting, due }) {
      const passed = directions.map((direction) => ({ labels: { direction }, value: bytes[direction] }))
      const refusals = [...refused].map(([reason, value]) => ({ labels: { reason }, value }))
      const without = Object.entries({ waiting, due }).map(([state, value]) => ({ labels: { state }, value }))
      return [
        counter('bindery_file_bytes_total', 'Bytes of files that came and went.', passed),
        counter('bindery_file_refusals_total', 'Uploads that were refused.', refusals),
        shared('bindery_files_without_record', 'Files that no record has: waiting for one, and due.', without),
      ]
    },
  }
}
