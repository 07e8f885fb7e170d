/** Finds mistakes in deprecations: dates in the wrong order, and names that do not exist. */
import type { Deprecation } from '../words/deprecation.ts'
import { findMeant } from '../words/nearest.ts'
import { type DeclarationCheck, fieldOf, noField, notListed } from './declaration-check.ts'

function checkDays(at: string, { since, sunset }: Deprecation, { report }: DeclarationCheck): void {
  if (sunset !== undefined && sunset < since) report(at, `sunset ${sunset} is before since ${since}`)
}

export function checkDeprecation(context: DeclarationCheck): void {
  const { declared, byName, report } = context
  const { deprecated, deprecatedOperations = {}, access, fields } = declared
  if (deprecated) {
    checkDays('deprecated', deprecated, context)
    const { use } = deprecated
    if (use !== undefined && !byName.has(use)) report('deprecated.use', notListed(byName, use))
  }
  for (const [name, one] of Object.entries(deprecatedOperations)) {
    if (!one) continue
    const at = `deprecatedOperations.${name}`
    checkDays(at, one, context)
    for (const operation of [name, one.use])
      if (operation !== undefined && !Object.hasOwn(access, operation))
        report(at, `access has no "${operation}"${findMeant(operation, Object.keys(access))}`)
  }
  for (const [name, { deprecated: one }] of Object.entries(fields)) {
    if (!one) continue
    const at = `field "${name}"`
    checkDays(`${at}: deprecated`, one, context)
    if (one.use !== undefined && !fieldOf(declared, one.use))
      report(`${at}: deprecated.use`, noField(declared, one.use))
  }
}
