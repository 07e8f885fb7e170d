/** Finds mistakes in `history`: names that the versions need, and versions that no caller reads. */
import { operationsIn } from '../access/change-rule.ts'
import { historyChild, historyFields, revertAction, versionName } from '../made/declared-history.ts'
import { revert } from '../made/revert-action.ts'
import { checkRule } from '../rule.ts'
import type { DeclarationCheck } from './declaration-check.ts'

export function checkHistory(context: DeclarationCheck): void {
  const { declared, report } = context
  const { name, history, fields, access, children, actions } = declared
  if (history === undefined) return
  if (history.read)
    checkRule(history.read, { ...context, about: 'record', report: (problem) => report('history.read', problem) })
  if (!operationsIn(access).has('get')) report('history', 'needs a rule for "get" under access')
  for (const own of Object.values(historyFields))
    if (Object.hasOwn(fields, own)) report(`field "${own}"`, 'versions have a field of this name; rename it')
  const child = children?.[historyChild]
  if (child && child.resource !== versionName(name))
    report(`children.${historyChild}`, 'is the path of the versions; rename it')
  const action = actions?.[revertAction]
  if (action && action.run !== revert.run) report(`actions.${revertAction}`, 'is the action of history; rename it')
}
