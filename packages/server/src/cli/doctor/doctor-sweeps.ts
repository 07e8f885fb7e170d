/** The doctor's findings about sweeps: records that a sweep could not move or remove, and why. */
import { failuresIn, type RecordedFailure } from '../../service/sweep-failures.ts'
import type { DatabaseNotes } from '../../storage/database-kind.ts'
import type { Findings } from '../../storage/finding.ts'

function printed({ resource, move, count, id, since, why }: RecordedFailure): string {
  if (move === undefined) return `what has expired is not removed, since ${since}: ${why}`
  const records = count === 1 ? `one ${resource} that has` : `${count} ${resource} records that have`
  return `"${move}" fails for ${records} expired, since ${since}: ${why} (id ${id})`
}

/** Nothing where the database could not be opened: that is another finding. */
export function inspectSweeps({ about }: Findings, found: DatabaseNotes['found']): void {
  for (const failure of found ? failuresIn(found) : [])
    about('sweeps', failure.resource).warn(
      printed(failure),
      failure.move
        ? 'Mend the action, or what it needs: each sweep tries again, and the log of the service has each failure'
        : 'See the log of the service: Sweeping failed for a resource. Each sweep tries again',
    )
}
