/** Metrics of the response cache: hits, misses and its size. */

import { counter, gauge, type MetricFamily } from '../../observe/metric-family.ts'
import type { ResponseCache } from '../../response-cache/response-cache.ts'

export function responseCacheFamilies(kept: Pick<ResponseCache, 'figures'>): MetricFamily[] {
  const { found, renewed, missed, bytes, fileBytes, answers } = kept.figures()
  return [
    counter(
      'bindery_kept_answers_total',
      'Reads that may be kept: found as they were, found with another total or as a page that has moved, or made.',
      Object.entries({ found, renewed, missed }).map(([result, value]) => ({ labels: { result }, value })),
    ),
    gauge('bindery_kept_answers_entries', 'Answers that are kept.', answers),
    gauge('bindery_kept_answers_bytes', 'Memory of the answers that are kept.', bytes),
    gauge('bindery_kept_answers_file_bytes', 'Room on the disk of the answers that are kept in a file.', fileBytes),
  ]
}
