/**
 * Finds mistakes in the earlier forms that a declaration names. A former name must not exist any
 * more, a former word must not be valid any more, and former values must fit.
 */
import type { Field } from '../fields/field.ts'
import { earlierNames, earlierWords } from '../fields/field-facts.ts'
import { findMeant } from '../words/nearest.ts'
import { backfillMistake } from './check-fields.ts'
import { type DeclarationCheck, fieldOf } from './declaration-check.ts'

function checkWords(at: string, field: Field, { report }: DeclarationCheck): void {
  const { values = [] } = field
  for (const [from, to] of Object.entries(earlierWords(field))) {
    if (values.includes(from) && !values.includes(to)) {
      report(at, `renamedFrom makes "${from}" "${to}"; the earlier word comes first: { ${to}: '${from}' }`)
      continue
    }
    if (values.includes(from)) report(at, `renamedFrom has the word "${from}", which is still one of its words`)
    if (!values.includes(to))
      report(at, `renamedFrom makes "${from}" "${to}", which is none of its words${findMeant(to, values)}`)
  }
}

/** One former resource has one successor: two that claim its name would share its records. */
function checkResource({ declared, byName, report }: DeclarationCheck): void {
  for (const name of [declared.renamedFrom ?? []].flat()) {
    const first = [...byName.values()].find(({ renamedFrom }) => [renamedFrom ?? []].flat().includes(name))
    if (byName.has(name)) report('renamedFrom', `"${name}" is still declared`)
    else if (first && first !== declared) report('renamedFrom', `"${name}" is what "${first.name}" was as well`)
  }
}

export function checkEarlier(context: DeclarationCheck): void {
  const { declared, byName, report } = context
  checkResource(context)
  const seen = new Map<string, string>()
  for (const [name, field] of Object.entries(declared.fields)) {
    const at = `field "${name}"`
    for (const earlier of earlierNames(field)) {
      const twin = seen.get(earlier)
      if (fieldOf(declared, earlier)) report(at, `was "${earlier}", which is still declared`)
      else if (twin) report(at, `was "${earlier}", as "${twin}" was`)
      seen.set(earlier, name)
    }
    checkWords(at, field, context)
    const unfit = backfillMistake(field, byName)
    if (unfit) report(at, unfit)
  }
}
