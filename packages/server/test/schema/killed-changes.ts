/** The schema changes during which migrations are killed, and whose numbers are their names. */
import { type MadeChange, madeChanges } from './made-changes.ts'
import { schemaChanges } from './type-changes.ts'

export const killedChanges: readonly MadeChange[] = [...schemaChanges, ...madeChanges]
