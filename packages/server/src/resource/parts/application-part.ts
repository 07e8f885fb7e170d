/**
 * A part of an application beside its resources: settings, a service, a mail and the like. It is
 * listed among the resources. Each kind of part is one object, its `PartType`, and no other file
 * names one. It knows no resource, so that the code of resources may name parts.
 */
import { dirname, resolve } from 'node:path'
import { declaringPlace } from '../../base/declaring-place.ts'
import { isTable, type MemberProblem } from '../members.ts'
import type { RuleCheck } from '../rule.ts'

/** The context in which a part is checked, once the form of all declarations is right. */
export type PartCheck = Pick<RuleCheck, 'byName' | 'tenancies'> & {
  /** All parts of the application. */
  readonly parts: readonly DeclaredPart[]
  /** `report('cron', 'must be …')` → `jobs.ts: defineJob("send"): cron: must be …` */
  report(where: string, problem: string): void
}

/** A kind of part. `P`: the parts of this kind. */
export type PartType<P = never> = {
  /** In sentences: `job`. */
  readonly kind: string
  /** The function that declares one: `defineJob`. */
  readonly definedBy: string
  /** Parts of this kind have no name, so there may be several without one. */
  readonly isUnnamed?: true
  /** The mistakes in its members: unknown ones, and those with values of a wrong form. */
  findFormMistakes(part: P): readonly MemberProblem[]
  /** The kind of effects that do the work of a part with this name: `job.sendInvoice`. */
  workKind?(name: string): string
  /** Finds the other mistakes. */
  check?(part: P, context: PartCheck): void
}

/** A part as an application lists it. `N`: its name, which is unique among those of its kind. */
export type DeclaredPart<N extends string = string> = {
  readonly partType: PartType
  readonly partName: N
  /** The folder of the file that declares it: paths start there. */
  readonly folder: string
  readonly writtenIn: string
  readonly writtenAt: string
}

/** The common members of a part, for the functions that declare one. */
export function partOf<const N extends string>(partType: PartType, partName: N): DeclaredPart<N> {
  const place = declaringPlace()
  return { partType, partName, folder: dirname(resolve(place.writtenIn)), ...place }
}

/** Whether an element of the list of an application is a part. */
export function isPart(value: unknown): value is DeclaredPart {
  return isTable(value) && isTable(value.partType) && typeof value.writtenIn === 'string'
}
