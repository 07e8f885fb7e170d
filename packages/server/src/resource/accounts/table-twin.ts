/** A table of accounts and a resource of the application that have one name, path or table. */

import { type DeclaredResource, engineMark } from '../define.ts'

type TwinMember = 'name' | 'path' | 'plural'

/** The options of `accounts` that give a table of this mark another name. */
const tableOptions: ReadonlyMap<string, string> = new Map([
  ['session', 'sessions'],
  ['api-key', 'keys'],
  ['factor', 'factors'],
  ['linked-account', 'linkedAccounts'],
  ['audit', 'audit'],
])

/** The sentence about a table of accounts; undefined where both are the application's own. */
export function tableTwin(member: TwinMember, declared: DeclaredResource, other: DeclaredResource): string | undefined {
  const mark = other[engineMark]
  if (!mark || declared[engineMark]) return undefined
  const option = tableOptions.get(mark.kind)
  const advice = option === undefined ? '' : `, or set ${option}.${member} of accounts`
  return `the engine uses this ${member} for a table of accounts (${other.writtenIn}); choose another${advice}`
}
