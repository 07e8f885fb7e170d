/** Checks that a member of `fields` in a declaration is a field. */
import { type MemberKind, printValue } from '../members.ts'
import { isField } from './field.ts'

/** A value that a field function has made. The mistakes of its options are reported with it. */
export const fieldKind: MemberKind = (value, path, report) => {
  if (isField(value)) {
    for (const mistake of value.mistakes)
      report({ ...mistake, path: mistake.path === '' ? path : `${path}: ${mistake.path}` })
  } else {
    const call = typeof value === 'function' ? `; call it: ${value.name}()` : ''
    report({ path, problem: `must be a field, such as text(), and is ${printValue(value)}${call}` })
  }
}
