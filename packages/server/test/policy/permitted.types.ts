/**
 * Compile-time tests: an operation that was not permitted cannot be performed. `npm run check`
 * fails when one of these compiles (an unused `@ts-expect-error` is an error), so this file needs
 * no run.
 */
import type { DeleteOperation, GetOperation, ListOperation, Operation } from '../../src/operation/operation.ts'
import type { Engine } from '../../src/perform/engine.ts'
import { perform } from '../../src/perform/perform.ts'
import type { Admission, Permitted } from '../../src/policy/policy.ts'
import type { Resource } from '../../src/resource/catalog.ts'
import { never } from '../../src/resource/condition.ts'
import { anonymous } from '../../src/resource/principal.ts'
import { type RuleType, simpleRule } from '../../src/resource/rule.ts'
import { anyone } from '../../src/resource/rules/anyone.ts'

declare const engine: Engine
declare const operation: Operation
declare const list: ListOperation
declare const resource: Resource
declare const permittedGet: Permitted<GetOperation>
declare const admission: Admission
declare const remove: DeleteOperation

export async function right(): Promise<void> {
  const admitted = engine.policy.admit(anonymous, { resource, operation: 'list' })
  await perform(engine, engine.policy.permit(admitted, list))
}

// @ts-expect-error an operation alone is not permitted
export const bare = () => perform(engine, operation)

const parts = {
  operation,
  principal: anonymous,
  visible: new Set<string>(),
  read: { kind: 'true' },
  write: { kind: 'true' },
  steps: [],
  guarded: new Set<string>(),
} as const

// @ts-expect-error this looks like a permission but was not made by policy/
export const forged = () => perform(engine, parts)

// @ts-expect-error a permission cannot be written as a literal
export const written: Permitted = { ...parts, refusal: new Error() }

// @ts-expect-error nor can an admission be written as a literal
export const admitted: Admission = {
  principal: anonymous,
  target: { resource, operation: 'list' },
  rule: anyone,
  where: { kind: 'true' },
  visible: new Set<string>(),
}

// @ts-expect-error permit() takes an admission, not a principal
export const skipped = () => engine.policy.permit(anonymous, list)

export function changed(permitted: Permitted<ListOperation>): void {
  // @ts-expect-error a permission is for the operation that it was made for
  permitted.operation = list
  // @ts-expect-error what a permission allows cannot be widened
  permitted.read = { kind: 'true' }
}

// @ts-expect-error a permission to get cannot be spread into one to delete
export const turned = () => perform(engine, { ...permittedGet, operation: remove })

// @ts-expect-error a spread of a permission is not a permission at all
export const spread: Permitted<GetOperation> = { ...permittedGet }

// @ts-expect-error a permission for one operation is not assignable to the type for another
export const renamed: Permitted<DeleteOperation> = permittedGet

// @ts-expect-error an admission cannot be widened by a spread
export const widened = () => engine.policy.permit({ ...admission, where: { kind: 'true' } }, list)

// @ts-expect-error an admission is not a permission
export const unpermitted = () => perform(engine, admission)

const inWords = { inDocument: () => 'late', inTable: () => 'late', check: () => undefined }

// @ts-expect-error a type of rule says by which facts of the caller it judges
export const silent: RuleType = { ...simpleRule, ...inWords, where: () => ({ kind: 'true' }), whereNot: () => never }

export const byScopes: RuleType = {
  ...simpleRule,
  ...inWords,
  // @ts-expect-error rules see only named facts of a caller: scopes are judged before
  where: (_rule, { principal }) => ({ kind: principal.kind === 'user' && principal.scopes ? 'true' : 'false' }),
  whereNot: () => never,
  judgesBy: () => ['scopes'],
}
