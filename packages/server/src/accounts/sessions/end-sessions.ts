/**
 * Ends sessions when something they depend on changes: the right to act, the password, and the
 * second factor that a role requires. Every write to a user runs this step, so no path can keep a
 * session that another one would end.
 */
import type { RecordTransaction } from '../../record/record-store.ts'
import type { UpdatedEvent, WriteStep } from '../../record/stages.ts'
import { type LoginMark, mayAct } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { all, any, type Condition, equal, isNull, type Scalar } from '../../resource/condition.ts'
import { needsFactor } from '../../resource/rules/roles.ts'

/**
 * The sessions in which no second factor was shown, nor could be: a user without one has to enrol
 * it first. Without a field that says so, no session is known to have shown one.
 */
async function withoutFactor(tx: RecordTransaction, userId: Scalar): Promise<Condition> {
  const { factor, session } = tx.catalog
  const field = session?.mark.factorAt
  if (!factor || field === undefined) return all()
  const hasOne = (await tx.count(factor.resource, equal(factor.mark.owner, userId))) > 0
  return hasOne ? isNull(field) : all()
}

type UserChange = Pick<UpdatedEvent, 'before' | 'row'>

/** Which sessions of a user end after this change: those that match one of the conditions. */
async function ending(
  tx: RecordTransaction,
  { resource, mark }: MarkedTable<LoginMark>,
  { before, row }: UserChange,
): Promise<Condition[]> {
  const { author, catalog, defaults } = tx
  const { session } = catalog
  if (!session) return []
  if (mayAct(mark, before) !== mayAct(mark, row)) return [all()]
  const conditions: Condition[] = []
  const { sessionId: own } = author
  if (before[mark.secret] !== row[mark.secret])
    conditions.push(
      own === undefined ? all() : { kind: 'compare', field: session.resource.idField, operator: 'ne', value: own },
    )
  if (before[mark.role] !== row[mark.role] && needsFactor(defaults.settings, row[mark.role]))
    conditions.push(await withoutFactor(tx, row[resource.idField] as Scalar))
  return conditions
}

export function endSessions(login: MarkedTable<LoginMark>): WriteStep {
  const { resource, mark } = login
  return {
    name: 'end sessions',
    resources: [resource],
    fields: [mark.role, mark.secret, ...(mark.status === undefined ? [] : [mark.status])],
    async afterUpdate({ tx, before, row }) {
      const conditions = await ending(tx, login, { before, row })
      const { session } = tx.catalog
      if (!session || conditions.length === 0) return
      const ofUser = equal(session.mark.owner, row[resource.idField] as Scalar)
      await tx.removeWhere(session.resource, all(ofUser, any(...conditions)))
    },
  }
}
