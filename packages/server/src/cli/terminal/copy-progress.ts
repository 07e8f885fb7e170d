/** Progress, Ctrl-C and the comparison of commands that copy whole databases. */

import type { Output } from '../../command/output.ts'
import { makeTable } from '../../command/table.ts'
import { Interrupted } from '../../command/usage-error.ts'
import type { CopiedTable, CopyListener } from '../../storage/copy/copy-tables.ts'
import { startProgress } from './progress.ts'

/** The first Ctrl-C stops after the running batch, the second at once; either leaves nothing. */
function stopOnInterrupt(said: string): AbortSignal {
  const controller = new AbortController()
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort(new Interrupted(`Stopped: ${said}. The same command starts anew`))
  })
  return controller.signal
}

export type CopyProgress = CopyListener & { seconds(): number; end(): void }

type CopyProgressOptions = {
  readonly label: string
  /** How often each row passes by: twice where one half is copying and the other half comparing. */
  readonly passes: 1 | 2
  readonly quiet: boolean
  /** What Ctrl-C leaves: `nothing was copied` */
  readonly stopped: string
}

export function makeCopyProgress({ label, passes, quiet, stopped }: CopyProgressOptions): CopyProgress {
  let progress: ReturnType<typeof startProgress> | undefined
  let copied = 0
  let compared = 0
  const update = () => progress?.update(copied, copied + compared)
  return {
    stop: stopOnInterrupt(stopped),
    async began(rows) {
      progress = startProgress({ label, total: rows * passes, quiet })
    },
    copied(rows) {
      copied += rows
      update()
    },
    compared(rows) {
      compared += rows
      update()
    },
    seconds: () => progress?.seconds() ?? 0,
    end: () => progress?.end(),
  }
}

/** How many characters of a checksum people see. */
export const checksumShown = 16

/** A line a table: rows and checksums of both sides. */
export function printCompared(tables: readonly CopiedTable[]): string {
  const names = ['table', 'sourceRows', 'targetRows', 'sourceSha256', 'targetSha256']
  const rows = tables.map(({ table, source, target }) => ({
    table,
    sourceRows: String(source.rows),
    targetRows: String(target.rows),
    sourceSha256: source.checksum.slice(0, checksumShown),
    targetSha256: target.checksum.slice(0, checksumShown),
  }))
  return makeTable(names).print(rows)
}

/** Prints both sides when the comparison fails. Throws what the work throws. */
export async function reportingDifference(
  output: Output,
  work: () => Promise<readonly CopiedTable[]>,
): Promise<readonly CopiedTable[]> {
  try {
    return await work()
  } catch (error) {
    const { tables: differing } = error as { tables?: readonly CopiedTable[] }
    if (differing && output.json) await output.value({ same: false, tables: differing })
    else if (differing) await output.write(printCompared(differing))
    throw error
  }
}
