/** How much the files of users and of tenants have, for operators. */
import { defineRoute } from '../endpoint/define-route.ts'
import { readFileUse } from '../perform/read/file-use.ts'
import { readFileGroups } from './file-groups.ts'
import { facts, type OperateRouteDeps, operatePath, operateWords, readByOperator } from './operate-words.ts'

/** Served where a field holds files. */
export const readUsedFiles = defineRoute({
  method: 'GET',
  path: operatePath('files'),
  describe: operateWords(
    'readUsedFiles',
    'Get how much the files of users and tenants have',
    'With their quotas. `waiting`: uploads that no record has. `due`: files that the next sweep removes. `groups`: by field and state. `loose`: the first without a record.',
  ),
  ...readByOperator,
  async run(_call, { engine, quotas }: OperateRouteDeps) {
    return facts({ ...(await readFileUse(engine)), ...(await readFileGroups(engine)), ...quotas })
  },
})
