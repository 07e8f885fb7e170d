/** Finds mistakes in `trash`: records that must end, and names that the trash needs. */

import { operationsIn } from '../access/change-rule.ts'
import { type DeclarationCheck, movesOf } from '../checks/declaration-check.ts'
import { declaredMembers, tenantNames } from '../tenancy/tenant-words.ts'
import { trashFields, trashOperations } from './declared-trash.ts'
import { endsForGood } from './trash-table.ts'

/** Why deleted records of the resource cannot stay; undefined where they can. */
function endingMistake({ declared, tenancies }: DeclarationCheck): string | undefined {
  const { name } = declared
  if (endsForGood(declared)) return 'its records have secrets, which end with them: leave trash out'
  if (tenantNames(tenancies).has(name)) return 'a tenant ends with its members: leave trash out'
  const isMember = tenancies.flatMap(declaredMembers).some(({ said }) => said.members === name)
  return isMember ? 'a membership gives rights, and ends with them: leave trash out' : undefined
}

export function checkTrash(context: DeclarationCheck): void {
  const { declared, report } = context
  if (declared.trash === undefined) return
  const problem = endingMistake(context)
  if (problem) report('trash', problem)
  for (const name of Object.values(trashFields))
    if (Object.hasOwn(declared.fields, name)) report(`field "${name}"`, 'is a name of the trash; choose another')
  const operations = operationsIn(declared.access)
  const own = [...Object.keys(declared.actions ?? {}), ...movesOf(declared)]
  for (const name of trashOperations)
    if (own.includes(name)) report(`actions.${name}`, 'is an operation of the trash; choose another name')
  if (!operations.has('delete') && !operations.has('restore'))
    report('trash', 'needs a rule of delete, or of restore, under access: no caller could bring a record back')
}
