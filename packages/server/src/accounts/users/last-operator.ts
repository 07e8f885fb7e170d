/**
 * Keeps at least one active user who operates the service, on every path of a write: no other user
 * could make another.
 */
import { ApiError } from '../../errors.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { WriteStep } from '../../record/stages.ts'
import { type LoginMark, mayAct } from '../../resource/accounts/identity-mark.ts'
import type { Catalog, MarkedTable } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import { rolesFrom } from '../../resource/rules/role-order.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { Values } from '../../storage/storage.ts'

type OperatorDeps = Pick<Catalog, 'roles'> & { readonly login: MarkedTable<LoginMark> }

/**
 * Whether the user keeps the application open: active, and of the operator's role or a higher one.
 */
function isKeeper({ login: { mark }, roles }: OperatorDeps, row: Values): boolean {
  return roles.reaches(row[mark.role], roles.operator) && mayAct(mark, row)
}

function keepersBut({ login: { resource, mark }, roles }: OperatorDeps, ids: readonly unknown[]): Condition {
  const status = mark.status === undefined ? all() : equal(mark.status, mark.activeStatus as string)
  const others = ids.map(
    (id): Condition => ({ kind: 'compare', field: resource.idField, operator: 'ne', value: id as Scalar }),
  )
  const keeping: Condition = { kind: 'in', field: mark.role, values: rolesFrom(roles, roles.operator) }
  return all(keeping, status, ...others)
}

/**
 * Throws `conflict` when no active user who operates the service is left but these. The one that is
 * left is locked until the transaction ends, so of two such users who go at the same time one
 * stays.
 */
async function checkOneIsLeft(tx: RecordTransaction, known: OperatorDeps, going: readonly unknown[]): Promise<void> {
  const { resource } = known.login
  const sort = [{ field: resource.idField, descending: false }]
  const [left] = await tx.lockAll(resource, { where: keepersBut(known, going), sort, limit: 1 })
  if (left) return
  const words = `the last active ${known.roles.operator}`
  throw new ApiError(
    'conflict',
    `This ${inSentence(resource.label)} is ${words}, who cannot be demoted, suspended or deleted; make another one first`,
  )
}

/** Before a user changes or goes. The refusal is `conflict`. */
export function keepLastOperator(known: OperatorDeps): WriteStep {
  const { resource, mark } = known.login
  return {
    name: 'keep operators',
    resources: [resource],
    fields: [mark.role, ...(mark.status === undefined ? [] : [mark.status])],
    async settled({ tx, before, row }) {
      if (before && isKeeper(known, before) && !isKeeper(known, row))
        await checkOneIsLeft(tx, known, [before[resource.idField]])
    },
    async beforeDelete({ tx, rows }) {
      const going = () => rows.map((row) => row[resource.idField])
      if (rows.some((row) => isKeeper(known, row))) await checkOneIsLeft(tx, known, going())
    },
  }
}
