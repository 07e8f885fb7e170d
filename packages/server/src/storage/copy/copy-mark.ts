/**
 * The mark that a database carries while another one is copied into it. Until the copy completes,
 * no service may start on the incomplete database.
 */
import { StartError } from '../../errors.ts'

/** Its name in `bindery_meta`. */
export const copyMark = 'copy'

/** `command` is absent in marks of earlier versions. */
export type CopyMark = { readonly from: string; readonly command?: string; readonly begunAt: string }

/** Throws `StartError` when the mark is there: a copy into this database has not completed. */
export function refuseUnfinished(mark: string | undefined): void {
  if (mark === undefined) return
  const { from, command = 'bindery copy', begunAt } = JSON.parse(mark) as CopyMark
  throw new StartError(
    `This database is the target of a copy from ${from} (begun ${begunAt}) that is going on or was interrupted. ` +
      `Wait for its end, run the same ${command} again, or take another database`,
  )
}
