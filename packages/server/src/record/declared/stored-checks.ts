/** The checks of declarations in the form in which a migration counts stored records by them. */

import { jsonText } from '../../base/json-text.ts'
import type { CheckFunction } from '../../resource/code/record-check.ts'
import type { StoredCheck } from '../../resource/code/stored-check.ts'
import type { DerivedContext } from '../../resource/fields/field.ts'
import type { Values } from '../../storage/storage.ts'
import { type CheckScope, failing } from './failing-records.ts'
import { shown } from './shown-values.ts'

type StoredCheckScope = CheckScope & { readonly now: string }

/** Definitions with the time in them would differ at each start. */
const someTime = '2026-01-31T12:00:00.000Z'

/** Code that throws refuses every write of the record, and no start. */
function isRight(judge: CheckFunction, record: Values, context: DerivedContext): boolean {
  try {
    return judge(shown(record), context) === true
  } catch {
    return false
  }
}

/** `now`: the time that checks of the clock compare with. */
export function storedChecks(scope: StoredCheckScope): readonly StoredCheck[] {
  const { catalog, settings, now } = scope
  return [...catalog.resources.values()].flatMap((resource) =>
    resource.checks.map((check): StoredCheck => {
      const { name, message, rule, judge, clock } = check
      const named = { resource, name, message }
      if (rule) {
        const failingAt = failing(scope, resource, rule)
        return { ...named, definition: jsonText(failingAt(someTime)), failing: failingAt(now) }
      }
      const context = (clock ? { ...settings, now } : settings) as DerivedContext
      const refuses = (record: Values) => !isRight(judge, record, context)
      return { ...named, definition: String(judge), refuses }
    }),
  )
}
