/**
 * Compile-time tests: what was not permitted is not performed. `npm run check` fails when one of these compiles
 * (an unused `@ts-expect-error` is an error), so this file needs no run.
 */
import type { DeleteOperation, GetOperation, ListOperation, Operation } from '../../src/operation/operation.ts'
import type { Engine } from '../../src/perform/engine.ts'
import { perform } from '../../src/perform/perform.ts'
import type { Admission, Permitted } from '../../src/policy/policy.ts'
import type { Resource } from '../../src/resource/catalog.ts'
import { anonymous } from '../../src/resource/principal.ts'
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

// @ts-expect-error an operation is not permitted by being one
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

// @ts-expect-error what looks like a permission was not made by policy/
export const forged = () => perform(engine, parts)

// @ts-expect-error nor can one be written down
export const written: Permitted = { ...parts, refusal: new Error() }

// @ts-expect-error an admission cannot be written down either
export const admitted: Admission = {
  principal: anonymous,
  target: { resource, operation: 'list' },
  rule: anyone,
  where: { kind: 'true' },
  visible: new Set<string>(),
}

// @ts-expect-error to permit needs an admission, not somebody
export const skipped = () => engine.policy.permit(anonymous, list)

export function changed(permitted: Permitted<ListOperation>): void {
  // @ts-expect-error a permission is for the operation that it was made for
  permitted.operation = list
  // @ts-expect-error nor can what it allows be widened
  permitted.read = { kind: 'true' }
}

// @ts-expect-error a permission to get, spread over, is none to delete
export const turned = () => perform(engine, { ...permittedGet, operation: remove })

// @ts-expect-error nor is a spread of one a permission at all
export const spread: Permitted<GetOperation> = { ...permittedGet }

// @ts-expect-error what a permission is not for, it is not for under another type either
export const renamed: Permitted<DeleteOperation> = permittedGet

// @ts-expect-error an admission cannot be widened by a spread
export const widened = () => engine.policy.permit({ ...admission, where: { kind: 'true' } }, list)

// @ts-expect-error an admission is no permission
export const unpermitted = () => perform(engine, admission)
