/** Checks the parts of an application: their names, each one's form, and what its kind checks. */
import { nameMistake } from '../checks/declaration-check.ts'
import { type MemberProblem, printValue } from '../members.ts'
import { withArticle } from '../words/names.ts'
import type { DeclaredPart, PartCheck } from './application-part.ts'

/** `jobs.ts: defineJob("sendInvoice")` */
export function partPlace({ writtenIn, partType, partName }: DeclaredPart): string {
  return `${writtenIn}: ${partType.definedBy}${partType.isUnnamed ? '' : `(${printValue(partName)})`}`
}

export function notListed(part: DeclaredPart): Error {
  return new Error(`${partPlace(part)} is not in the list of resources, where the application names its parts`)
}

function findNameMistakes({ partType, partName }: DeclaredPart): readonly MemberProblem[] {
  if (partType.isUnnamed) return []
  if (typeof partName !== 'string') return [{ path: 'name', problem: `must be a text, and is ${printValue(partName)}` }]
  const problem = nameMistake(partName)
  return problem === undefined ? [] : [{ path: 'name', problem, isFormRight: true }]
}

/** The mistakes in the form of a part. */
export function findPartMistakes(part: DeclaredPart): readonly MemberProblem[] {
  return [...findNameMistakes(part), ...part.partType.findFormMistakes(part as never)]
}

type PartsCheck = Omit<PartCheck, 'report'> & { report(mistake: string): void }

/** Reports the mistakes of parts whose form is right, a line each. */
export function checkParts({ report, ...context }: PartsCheck): void {
  const { parts } = context
  const known = new Map<string, DeclaredPart>()
  for (const part of parts) {
    const { partType, partName } = part
    const key = `${partType.kind} ${partName}`
    const first = known.get(key)
    if (!partType.isUnnamed && first)
      report(`${partPlace(part)}: ${first.writtenAt} has ${withArticle(partType.kind)} of this name already`)
    known.set(key, part)
    partType.check?.(part as never, {
      ...context,
      report: (where, problem) => report(`${partPlace(part)}: ${where}: ${problem}`),
    })
  }
}
