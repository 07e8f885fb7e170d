/** How often an answer was there already, and what is kept. */
import type { KeptAnswers } from '../../kept/kept-answers.ts'
import type { Family } from '../../observe/family.ts'
import { single } from '../../observe/meter.ts'

export function keptFamilies(kept: Pick<KeptAnswers, 'figures'>): Family[] {
  const { found, renewed, missed, bytes, fileBytes, answers } = kept.figures()
  return [
    {
      name: 'bindery_kept_answers_total',
      help: 'Reads that may be kept: found as they were, found with another total or as a page that has moved, or made.',
      kind: 'counter',
      across: 'sum',
      samples: Object.entries({ found, renewed, missed }).map(([result, value]) => ({ labels: { result }, value })),
    },
    single('gauge', { name: 'bindery_kept_answers_entries', help: 'Answers that are kept.' }, answers),
    single('gauge', { name: 'bindery_kept_answers_bytes', help: 'Memory of the answers that are kept.' }, bytes),
    single(
      'gauge',
      { name: 'bindery_kept_answers_file_bytes', help: 'Room on the disk of the answers that are kept in a file.' },
      fileBytes,
    ),
  ]
}
