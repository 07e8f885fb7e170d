/**
 * The limits of a tenant that each path of a write must heed: one cell for each path and limit. A
 * path or a limit without its cells does not compile.
 */
import type { PathName } from './every-write-paths.ts'
import type { Cell } from './every-write-table.ts'

/** Each is seen by a probe of its name in `tenant-writes.test.ts`. */
export const tenantSteps = ['check', 'match', 'forbid', 'tenant', 'lastHolder', 'limit', 'audit'] as const
export type TenantStep = (typeof tenantSteps)[number]
type Row = Readonly<Record<TenantStep, Cell>>

const happens = true
const not = (reason: string): Cell => ({ not: reason })

const gone = not('the record is gone')
const made = not('a new membership takes none away')
const unsent = not('no values are sent')
const decided = not('the rule of the operation has decided, and the declaration says what follows')
const asked = not('the event is of the record that was asked for')
const operator = not('the operator at the console is in no tenant, and bound by no rule')
const noMember = not('no membership is a single record')
const ofChest = not('a lid refers to its chest alone')

const creating: Row = {
  check: happens,
  match: happens,
  forbid: happens,
  tenant: happens,
  lastHolder: made,
  limit: happens,
  audit: happens,
}
const changing: Row = { ...creating, lastHolder: happens }
const removing: Row = { ...changing, check: gone, match: gone, limit: gone }
const byOperator = { forbid: operator, tenant: operator, audit: operator } as const
const single = { match: ofChest, lastHolder: noMember, limit: noMember } as const

/** Every path × every limit. */
export const tenantTable: Readonly<Record<PathName, Row>> = {
  create: creating,
  replace: changing,
  update: changing,
  delete: removing,
  upsertNew: creating,
  upsertKnown: changing,
  bulkUpdate: changing,
  bulkDelete: removing,
  importNew: creating,
  importKnown: changing,
  action: changing,
  move: { ...changing, match: unsent, limit: unsent },
  batchCreate: creating,
  batchUpdate: changing,
  batchDelete: removing,
  singleMade: { ...creating, ...single, forbid: unsent, audit: not('it is made by a read') },
  singleChanged: { ...changing, ...single },
  cascade: { ...removing, forbid: decided, audit: asked },
  cleared: {
    ...changing,
    match: not('a cleared reference names no record'),
    forbid: decided,
    lastHolder: not('it clears no field of a holder'),
    limit: unsent,
    audit: asked,
  },
  graphqlCreate: creating,
  graphqlReplace: changing,
  graphqlUpdate: changing,
  graphqlDelete: removing,
  commandCreate: { ...creating, ...byOperator },
  commandUpdate: { ...changing, ...byOperator },
  commandRemove: { ...removing, ...byOperator },
  commandImportNew: { ...creating, ...byOperator },
  commandImportKnown: { ...changing, ...byOperator },
}
