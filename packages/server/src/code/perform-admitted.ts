/** Performs an admitted operation of code, and tells what its caller sees. */
import { nowOf } from '../base/clock.ts'
import type { Operation } from '../operation/operation.ts'
import { perform } from '../perform/perform.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, type Condition } from '../resource/condition.ts'
import { isAtConsole } from '../resource/principal.ts'
import type { Row } from '../storage/storage.ts'
import { readableNames, readableValues } from '../value/hidden-fields.ts'
import type { AdmittedCode } from './judged-engine.ts'

function shownNames({ admission, resource }: AdmittedCode): readonly string[] {
  return readableNames(resource, admission.visible)
}

/** Records as the caller sees them. */
export function shownTo(asked: AdmittedCode): (row: Row) => Row {
  const names = shownNames(asked)
  return (row) => readableValues(row, names)
}

export function viewOf({ engine, admission, resource }: AdmittedCode) {
  const { visible, visibleWhere, asking } = admission
  const seen = (one: Resource) => engine.policy.view(asking, one)
  return { resource, visible, visibleWhere, viewOf: seen, now: nowOf(engine) }
}

type Unshared<O> = O extends Operation ? Omit<O, 'resource' | 'under' | 'select'> & Partial<Pick<O, 'under'>> : never

/** Permits the operation and performs it. */
export function performAdmitted(asked: AdmittedCode, operation: Unshared<Operation>) {
  const { engine, admission, resource } = asked
  const whole = { under: undefined, ...operation, resource, select: shownNames(asked) } as Operation
  return perform(engine, engine.policy.permit(admission, whole))
}

/** Records below others exist where those exist for the caller. */
export function reachedBy({ engine, admission, resource }: AdmittedCode): Condition {
  return resource.path !== undefined || isAtConsole(admission.asking) ? all() : engine.policy.reach(admission)
}
