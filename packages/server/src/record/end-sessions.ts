/**
 * Sessions end with what they rest on: the right to act, the password, and the second factor that a
 * role demands. Every write to a user passes here, so no path can leave a session that another one
 * would end.
 */

import { mayAct } from '../resource/accounts/identity-mark.ts'
import { all, any, type Condition, equal, isNull, type Scalar } from '../resource/condition.ts'
import { needsFactor, type Role } from '../resource/rule.ts'
import type { Row } from '../storage/storage.ts'
import type { Door } from './records.ts'
import { removeWhere } from './remove.ts'

/**
 * The sessions in which no second factor was shown, nor could be: a user without one has to enrol
 * it first. Without a field that says so, no session is known to have shown one.
 */
async function withoutFactor({ catalog, transaction }: Door, userId: Scalar): Promise<Condition> {
  const { factor, session } = catalog
  const field = session?.mark.factorAt
  if (!factor || field === undefined) return all()
  const hasOne = (await transaction.count(factor.resource, equal(factor.mark.owner, userId))) > 0
  return hasOne ? isNull(field) : all()
}

/** Which sessions of a user end after this change: those that match one of the conditions. */
async function ending(door: Door, before: Row, row: Row): Promise<Condition[]> {
  const { catalog, author, settings } = door
  const { login, session } = catalog
  if (!login || !session) return []
  const { mark, resource } = login
  if (mayAct(mark, before) !== mayAct(mark, row)) return [all()]
  const conditions: Condition[] = []
  const { sessionId: own } = author
  if (before[mark.secret] !== row[mark.secret])
    conditions.push(
      own === undefined ? all() : { kind: 'compare', field: session.resource.idField, operator: 'ne', value: own },
    )
  if (before[mark.role] !== row[mark.role] && needsFactor(settings, row[mark.role] as Role))
    conditions.push(await withoutFactor(door, row[resource.idField] as Scalar))
  return conditions
}

/** After a user was changed. */
export async function endSessions(door: Door, before: Row, row: Row): Promise<void> {
  const { login, session } = door.catalog
  const conditions = await ending(door, before, row)
  if (!login || !session || conditions.length === 0) return
  const ofUser = equal(session.mark.owner, row[login.resource.idField] as Scalar)
  await removeWhere(door, session.resource, all(ofUser, any(...conditions)))
}
