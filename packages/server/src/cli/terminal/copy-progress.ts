/**
 * Shows progress, handles Ctrl-C and prints the comparison, for commands that copy whole databases.
 */

import type { Output } from '../../command/output.ts'
import { makeTable } from '../../command/table.ts'
import { Interrupted } from '../../command/usage-error.ts'
import type { CopiedTable, CopyListener } from '../../storage/copy/copy-tables.ts'
import { startProgress } from './progress.ts'

/**
 * The first Ctrl-C stops after the running batch, the second at once; both leave the target empty.
 */
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
  /**
   * How often each row is counted: twice where one half is the copy and the other half the
   * comparison.
   */
  readonly passes: 1 | 2
  readonly quiet: boolean
  /** The state after Ctrl-C: `nothing was copied` */
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

/** How many characters of a checksum are shown. */
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

/** Prints both sides when the comparison fails. Throws the error of the work. */
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
