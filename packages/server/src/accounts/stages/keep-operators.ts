/** One active user of the highest role is always left, whoever writes: nobody else could make another. */
import { ApiError } from '../../errors.ts'
import type { Writing } from '../../record/records.ts'
import type { Step } from '../../record/stages.ts'
import { type LoginMark, mayAct } from '../../resource/accounts/identity-mark.ts'
import type { Marked } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import { roles } from '../../resource/rule.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { Values } from '../../storage/storage.ts'

type Login = Marked<LoginMark>

const highest = roles.at(-1) as string

/** Whether the user keeps the application open: active, and of the highest role. */
function isKeeper(login: Login, row: Values): boolean {
  return row[login.mark.role] === highest && mayAct(login.mark, row)
}

function keepersBut({ resource, mark }: Login, ids: readonly unknown[]): Condition {
  const status = mark.status === undefined ? all() : equal(mark.status, mark.activeStatus as string)
  const others = ids.map(
    (id): Condition => ({ kind: 'compare', field: resource.idField, operator: 'ne', value: id as Scalar }),
  )
  return all(equal(mark.role, highest), status, ...others)
}

/**
 * Throws `conflict` when no active user of the highest role is left but these. The one that is left is locked until the transaction ends, so
 * of two such users who go at the same time one stays.
 */
async function checkOneIsLeft(writing: Writing, login: Login, going: readonly unknown[]): Promise<void> {
  const { resource } = login
  const sort = [{ field: resource.idField, descending: false }]
  const [left] = await writing.lockAll(resource, { where: keepersBut(login, going), sort, limit: 1 })
  if (left) return
  const words = `the last active ${highest}`
  throw new ApiError(
    'conflict',
    `This ${inSentence(resource.label)} is ${words}, who cannot be demoted, suspended or deleted; make another one first`,
  )
}

/** Before a user changes or goes. The refusal is `conflict`. */
export function keepOperators(login: Login): Step {
  const { resource, mark } = login
  return {
    name: 'keep operators',
    resources: [resource],
    fields: [mark.role, ...(mark.status === undefined ? [] : [mark.status])],
    async settled({ writing, before, row }) {
      if (before && isKeeper(login, before) && !isKeeper(login, row))
        await checkOneIsLeft(writing, login, [before[resource.idField]])
    },
    async beforeDelete({ writing, rows }) {
      const going = () => rows.map((row) => row[resource.idField])
      if (rows.some((row) => isKeeper(login, row))) await checkOneIsLeft(writing, login, going())
    },
  }
}
