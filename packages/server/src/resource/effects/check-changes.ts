/** Finds mistakes in `changes`: fields that the change log cannot keep. */
import { type DeclarationCheck, storedField } from '../checks/declaration-check.ts'
import { isOpen } from './declared-changes.ts'

export function checkChanges(context: DeclarationCheck): void {
  const { declared, report } = context
  const { changes } = declared
  if (typeof changes !== 'object') return
  for (const name of changes.fields) {
    const field = storedField(context, 'changes.fields', name)
    if (field && !isOpen(field)) report('changes.fields', `"${name}" is hidden or secret: no log has its values`)
  }
}
